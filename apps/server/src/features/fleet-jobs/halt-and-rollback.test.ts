import { startFleetJob, undoFleetJob } from '@muster/contract/api/fleet-jobs'
import { expect, test } from 'vitest'
import { startFleet } from './test-fleet-jobs.ts'

test('a job halts when a percentage of the wave has failed, and not before', async () => {
  await using fleet = await startFleet(10)
  const job = await fleet.start({
    rollout: { waves: [{ count: 5 }], max_at_once: 1, halt: { percent: 40 } },
  })
  const fail = () => fleet.answer(job.id, { retcode: 1 })
  await fail()
  expect(await fleet.read(job.id)).toMatchObject({ state: 'running', counts: { failed: 1, running: 1 } })
  await fail()
  expect(await fleet.read(job.id)).toMatchObject({
    state: 'halted',
    reason: '2 of 5 machines of this wave failed.',
    counts: { failed: 2, running: 0, waiting: 8 },
  })
})

test('a rollback script runs on the changed machines only when a user undoes the halted job', async () => {
  await using fleet = await startFleet(4)
  const { ada, server } = fleet
  const script = await server.given.script({ name: 'Enable SMB 1.0', shell: 'shell' })
  const job = await fleet.start({
    rollout: { waves: [{ count: 2 }], halt: { failures: 1 } },
    rollback: { script: script.id, args: ['--force'] },
  })
  const [good] = await fleet.open(job.id)
  await fleet.answer(job.id, (agentId) => ({ retcode: agentId === good?.agent_id ? 0 : 1 }))
  const halted = await fleet.read(job.id)
  expect(halted).toMatchObject({
    state: 'halted',
    rollback: { script: script.id, name: 'Enable SMB 1.0' },
    undo_text: 'Run the rollback script on the changed machines.',
    steps: { undo: { refused: null } },
  })
  expect(await fleet.open(job.id)).toEqual([])
  const { body } = await ada.call(undoFleetJob, { params: { id: job.id } })
  expect(body).toMatchObject({
    draft: { action: { type: 'script', script: script.id, args: ['--force'] } },
    plan: {
      planned: 1,
      machines: [{ agent_id: good?.agent_id }],
      action_text: 'Run the script "Enable SMB 1.0"',
    },
  })
  const { body: undo } = await ada.call(startFleetJob, { body: { draft: body.draft, hash: body.plan.hash } })
  await server.app.fleetJobs.idle()
  expect((await fleet.open(undo.id)).map(({ agent_id }) => agent_id)).toEqual([good?.agent_id])
  await fleet.answer(undo.id)
  expect(await fleet.read(undo.id)).toMatchObject({ state: 'done', counts: { succeeded: 1 } })
})
