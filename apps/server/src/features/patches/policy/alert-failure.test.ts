import { listAlerts } from '@muster/contract/api/alerts'
import { installPatches } from '@muster/contract/api/patches'
import { expect, test } from 'vitest'
import { TestAgent } from '../../agents/test-agent.ts'
import { createAlertBench } from '../../alerts/channels/test-alerts.ts'
import { LOOPBACK_CHANNELS } from '../../alerts/channels/test-receiver.ts'
import { emailTo, openTestSmtp } from '../../alerts/channels/test-smtp.ts'
import { patchOf } from '../test-patches.ts'
import { ALL, DAILY, everywhere, patching, preparePatching } from './test-patch-policies.ts'

const alert = { on_failure: true }
const openssl = patchOf('openssl', { severity: 'Critical' })

test('an installation by policy that fails sends one mail, and the next good one resolves the alert', async () => {
  await using smtp = await openTestSmtp()
  await using fleet = await preparePatching(undefined, LOOPBACK_CHANNELS)
  const { ctx, server, pc, srv, add, report, tick, connect, endRun } = fleet
  await createAlertBench(ctx).channel(emailTo(smtp.port))
  const subjects = () => smtp.mails.map(({ headers }) => headers.get('subject'))
  const send = async () => {
    server.clock.advance(60)
    await ctx.jobs.drain()
  }
  for (const machine of [pc, srv]) {
    await report(machine, [openssl])
    await connect(machine)
  }
  await add({
    name: 'Nightly',
    content: patching({ approval: ALL, schedule: DAILY, alert }),
    targets: everywhere,
  })
  // The other machine opens no alert.
  await add({
    name: 'Quiet',
    content: patching({ alert: { on_failure: false } }),
    targets: [{ level: 'agent', id: srv.agent_id }],
  })
  await tick()
  const night = async (day: number, ends: ('failed' | 'done')[]) => {
    server.clock.freeze(`2026-11-${day}T03:00:30.000Z`)
    await tick()
    for (const end of ends) {
      for (const machine of [pc, srv]) await endRun(machine, end, end === 'failed' ? 'No free space.' : null)
      await tick()
      server.clock.advance(16 * 60)
      await tick()
    }
    await send()
  }
  await night(26, ['failed', 'failed'])
  expect(subjects()).toEqual(['Error on PC-12: Failed to install patches: No free space.'])
  await night(27, ['failed', 'failed'])
  expect(subjects()).toHaveLength(1)
  await night(28, ['failed', 'done'])
  expect(subjects()).toEqual([
    'Error on PC-12: Failed to install patches: No free space.',
    'Resolved on PC-12: Failed to install patches: No free space. (Patches were installed)',
  ])
})

test('an installation that a user or a job has started alerts once it has failed', async () => {
  await using fleet = await preparePatching()
  const { server, site, add, report, root, settle } = fleet
  const { url } = await server.listen()
  const agent = await TestAgent.enrol(server, url, site.id)
  await agent.comeOnline()
  await add({ name: 'Base', content: patching({ alert }), targets: everywhere })
  await settle()
  await report({ agent_id: agent.agentId }, [openssl])
  const params = { agent_id: agent.agentId }
  const install = async (outcome: 'exited' | 'failed') => {
    const { run } = (await root.call(installPatches, { params, body: { guids: ['openssl'] } })).body
    const at = new Date().toISOString()
    const ofRun = { history_id: run?.id ?? 0, at }
    agent.report({ kind: 'accepted', ...ofRun })
    agent.report({ kind: 'started', ...ofRun })
    const retcode = outcome === 'exited' ? 0 : null
    const reason = outcome === 'exited' ? null : 'dpkg is locked.'
    agent.report({
      kind: 'result',
      ...ofRun,
      outcome,
      reason,
      retcode,
      execution_time: 1,
      output_cut_bytes: 0,
    })
  }
  const states = async () =>
    (await root.call(listAlerts, { body: { resolvedFilter: true } })).body.alerts.map(
      ({ message, state }) => [message, state],
    )
  await install('failed')
  await expect.poll(states).toEqual([['Failed to install patches: dpkg is locked.', 'open']])
  await install('exited')
  await expect.poll(states).toEqual([['Failed to install patches: dpkg is locked.', 'resolved']])
  agent.cut()
})
