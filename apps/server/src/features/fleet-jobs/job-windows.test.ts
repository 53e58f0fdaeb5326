import { createMaintenanceWindow, editMaintenanceWindow } from '@muster/contract/api/maintenance'
import { planFleetJob } from '@muster/contract/api/fleet-jobs'
import { expect, test } from 'vitest'
import { ECHO, startFleet } from './test-fleet-jobs.ts'

/** Wednesdays from 22:00 to 23:00 UTC. */
const SCHEDULE = {
  starts: '2026-11-01T22:00',
  minutes: 60,
  time_zone: 'UTC',
  recurs: 'weekly' as const,
  weekdays: [3],
}

/** Three machines, of which the first two have a window. It is Wednesday, 20:00. */
async function startWithWindow() {
  const fleet = await startFleet(3)
  const { server, ada, agentIds } = fleet
  server.clock.freeze('2026-11-25T20:00:00Z')
  const targets = agentIds.slice(0, 2).map((id) => ({ type: 'agent' as const, id }))
  const { body: window } = await ada.call(createMaintenanceWindow, {
    body: { reason: '', targets, schedule: SCHEDULE },
  })
  const goTo = async (instant: string, jobId: number) => {
    server.clock.freeze(instant)
    server.app.fleetJobs.wake(jobId)
    await server.app.fleetJobs.idle()
  }
  return { ...fleet, window, targets, goTo }
}

test('a machine runs only while its maintenance window is open, and one without a window is skipped', async () => {
  await using fleet = await startWithWindow()
  const job = await fleet.start({
    schedule: { in_windows: true, expires_hours: 4 },
    rollout: { waves: [{ count: 1 }] },
  })
  expect(job).toMatchObject({
    planned: 2,
    skipped: [{ code: 'unsuitable', count: 1, reason: 'No maintenance window covers it.' }],
  })
  expect(await fleet.open(job.id)).toHaveLength(0)
  const waiting = await fleet.list(job.id, { state: 'waiting' })
  expect(waiting.map(({ due_at }) => due_at)).toEqual(Array(2).fill('2026-11-25T22:00:00.000Z'))
  await fleet.goTo('2026-11-25T22:59:00Z', job.id)
  expect(await fleet.open(job.id)).toHaveLength(1)
  // The window closes before the second wave: its machine waits a week, and the job expires.
  fleet.server.clock.freeze('2026-11-25T23:00:00Z')
  await fleet.answer(job.id)
  expect(await fleet.open(job.id)).toHaveLength(0)
  expect(await fleet.list(job.id, { state: 'waiting' })).toMatchObject([
    { due_at: '2026-12-02T22:00:00.000Z' },
  ])
  await fleet.goTo('2026-11-26T00:00:00Z', job.id)
  expect(await fleet.read(job.id)).toMatchObject({
    state: 'done',
    counts: { succeeded: 1, skipped: 2 },
    skipped: expect.arrayContaining([
      { code: 'expired', count: 1, reason: 'No maintenance window opened before the job expired.' },
    ]),
  })
})

test('a window that is moved moves the waiting machines', async () => {
  await using fleet = await startWithWindow()
  const job = await fleet.start({ schedule: { in_windows: true } })
  const schedule = { ...SCHEDULE, starts: '2026-11-01T20:30' }
  await fleet.ada.call(editMaintenanceWindow, {
    params: { id: fleet.window.id },
    body: { reason: '', targets: fleet.targets, schedule },
  })
  await fleet.goTo('2026-11-25T20:30:00Z', job.id)
  expect(await fleet.open(job.id)).toHaveLength(2)
})

test('a job that expires before a window opens does not plan its machines', async () => {
  await using fleet = await startWithWindow()
  const schedule = { in_windows: true, expires_hours: 1 }
  const { body } = await fleet.ada.call(planFleetJob, {
    body: { target: fleet.target, action: ECHO, schedule },
  })
  expect(body.skipped).toContainEqual({
    code: 'unsuitable',
    count: 2,
    reason: 'Its next maintenance window opens after the job expires.',
  })
})

test('each machine starts by its own clock, and one whose clock is past the time is skipped', async () => {
  await using fleet = await startFleet(2)
  const { server, agentIds, ada } = fleet
  server.clock.freeze('2026-11-25T20:00:00Z')
  const zones = ['Europe/Zurich', 'Asia/Tokyo']
  for (const [i, agent_id] of agentIds.entries())
    await server.ctx.db
      .updateTable('agents')
      .set({ time_zone: zones[i] ?? null })
      .where('agent_id', '=', agent_id)
      .execute()
  const start = { at: 'machine_time' as const, time: '2026-11-26T02:00' }
  const { body: plan } = await ada.call(planFleetJob, {
    body: { target: fleet.target, action: ECHO, schedule: { start } },
  })
  expect(plan).toMatchObject({ planned: 1, skipped: [{ reason: 'This time is over on its clock.' }] })
  const job = await fleet.start({ schedule: { start } })
  server.clock.freeze('2026-11-26T00:59:00Z')
  server.app.fleetJobs.wake(job.id)
  await server.app.fleetJobs.idle()
  expect(await fleet.open(job.id)).toHaveLength(0)
  server.clock.freeze('2026-11-26T01:00:00Z')
  server.app.fleetJobs.wake(job.id)
  await server.app.fleetJobs.idle()
  expect(await fleet.open(job.id)).toHaveLength(1)
})
