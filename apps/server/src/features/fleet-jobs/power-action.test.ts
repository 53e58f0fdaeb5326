import { listAudit } from '@muster/contract/api/audit'
import { expect, test } from 'vitest'
import { type Draft, startFleet } from './test-fleet-jobs.ts'
import { JobMachine } from './test-job-machine.ts'

test('a job restarts a machine after a warning with its text, or shuts it down at once', async () => {
  await using fleet = await startFleet(0)
  const { ada, server, site } = fleet
  const { url } = await server.listen()
  using machine = await JobMachine.start(server, { url, siteId: site.id, hostname: 'web-01', plat: 'linux' })
  const target = { by: 'agents' as const, agents: [machine.agent.agentId] }
  const run = async (action: Draft['action']) => fleet.list((await fleet.start({ target, action })).id)
  const warning = { message: 'Updates are installed.', delay_minutes: 20, may_postpone: false }
  expect(await run({ type: 'power', action: 'reboot', warning })).toMatchObject([
    { state: 'succeeded', line: 'Planned, and the user is warned 20 minutes before' },
  ])
  expect(await run({ type: 'power', action: 'shutdown', now: true })).toMatchObject([
    { state: 'succeeded', line: 'Done' },
  ])
  expect(machine.power).toMatchObject([
    {
      name: 'plan-power',
      input: { action: 'reboot', message: 'Updates are installed.', seconds: 1200, postponements: 0 },
    },
    { name: 'change-power', input: { action: 'shutdown' } },
  ])
  const { audit_logs } = (await ada.call(listAudit, { body: { objectFilter: ['agent'] } })).body
  const messages = audit_logs.map(({ message }) => message)
  expect(messages).toContain('Planned a restart of the machine')
  expect(messages).toContain('Shut down the machine')
})
