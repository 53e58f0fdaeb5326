import type { InstalledPackage } from '@muster/contract/agent/software'
import { createMaintenanceWindow } from '@muster/contract/api/maintenance'
import { createPolicy } from '@muster/contract/api/policies'
import { NO_CONTENT, type PolicySoftware } from '@muster/contract/policies/policy-content'
import { expect, test } from 'vitest'
import { prepareFleet } from '../../policies/test-policies.ts'
import { softwareJobs } from '../jobs.ts'
import { storeSoftware } from '../store-software.ts'
import { known, reportOf } from '../test-software.ts'

const NOW = '2026-11-25T12:00:00.000Z'
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

const wanting = (...software: PolicySoftware[]) => ({ ...NO_CONTENT, software })
const want = (state: PolicySoftware['state'], ...names: string[]): PolicySoftware => ({
  names,
  state,
  platforms: ['linux'],
  in_windows: false,
})
const everywhere = [{ level: 'default' as const, monitoring_type: null }]

/** A fleet whose first machine is connected and reports its software. */
async function prepare() {
  const fleet = await prepareFleet()
  const { server, pc } = fleet
  const { ctx } = server
  server.clock.freeze(NOW)
  await ctx.db.updateTable('agents').set({ connected: 1 }).where('id', '=', pc.id).execute()
  const tick = async () => {
    const job = softwareJobs(ctx, server.app.fleet).find(({ name }) => name === 'software.enforce-policies')
    await job?.run({}, new AbortController().signal)
  }
  const report = (packages: InstalledPackage[]) =>
    ctx.transaction((tx, emit) =>
      storeSoftware(tx, emit, {
        reports: [{ agentId: pc.agent_id, report: reportOf(packages, 0, { managers: ['apt'] }) }],
        now: ctx.now(),
      }),
    )
  const runs = async () =>
    (
      await ctx.db
        .selectFrom('agent_history')
        .select(['command', 'command_name', 'username'])
        .where('agent_id', '=', pc.agent_id)
        .orderBy('id')
        .execute()
    ).map(({ command, command_name, username }) => `${username} ${command_name}: ${command}`)
  const endRuns = () =>
    ctx.db
      .updateTable('agent_history')
      .set({ state: 'done', retcode: 0 })
      .where('agent_id', '=', pc.agent_id)
      .execute()
  return {
    ...fleet,
    tick,
    report,
    runs,
    endRuns,
    pass: (ms: number) => server.clock.freeze(new Date(ctx.now().getTime() + ms).toISOString()),
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}

test('a machine gets what its policies want, one change after the other', async () => {
  await using fleet = await prepare()
  const { add, tick, report, runs, endRuns, pass } = fleet
  await add({
    name: 'Software',
    content: wanting(want('absent', 'telnet'), want('latest', 'openssl'), want('present', 'htop', 'btop')),
    targets: everywhere,
  })
  await tick()
  // Nothing is known about the machine yet.
  expect(await runs()).toEqual([])
  await report([known('telnet', '0.17'), known('openssl', '3.0.1', { available: '3.0.2' })])
  pass(HOUR_MS)
  await Promise.all([tick(), tick()])
  expect(await runs()).toEqual(['server remove-package: Remove the package telnet by policy'])
  pass(HOUR_MS)
  await tick()
  // The first run has not ended.
  expect(await runs()).toHaveLength(1)
  await endRuns()
  // Telnet was not removed: that is tried again a day later, and holds up nothing else.
  for (const _ of [1, 2, 3]) {
    pass(HOUR_MS)
    await tick()
    await endRuns()
  }
  expect((await runs()).slice(1)).toEqual([
    'server upgrade-package: Upgrade the package openssl by policy',
    'server install-package: Install the package htop or btop by policy',
  ])
  await report([known('openssl', '3.0.2'), known('btop', '1.2')])
  pass(25 * HOUR_MS)
  await tick()
  expect(await runs()).toHaveLength(3)
  await report([known('openssl', '3.0.2'), known('btop', '1.2'), known('telnet', '0.17')])
  pass(HOUR_MS)
  await tick()
  expect(await runs()).toHaveLength(4)
})

test('the nearest policy wins for a package, and other systems and removed policies change nothing', async () => {
  await using fleet = await prepare()
  const { add, edit, tick, report, runs, pass, effective, site, pc } = fleet
  const all = await add({
    name: 'All',
    content: wanting(want('present', 'htop'), {
      ...want('present', 'Mozilla.Firefox'),
      platforms: ['windows'],
    }),
    targets: everywhere,
  })
  await add({
    name: 'Site',
    content: wanting(want('absent', 'htop')),
    targets: [{ level: 'site', id: site.id, monitoring_type: null }],
  })
  const policy = await effective(pc)
  expect(policy.items.filter(({ kind }) => kind === 'software')).toMatchObject([
    { what: 'htop: not installed', source: { policy_name: 'Site' }, overrode: [{ what: 'htop: installed' }] },
  ])
  expect(policy.unfit).toMatchObject([{ what: 'Mozilla.Firefox: installed', why: 'other_system' }])
  await report([known('vim', '9')])
  await edit(all.id, { content: wanting(want('absent', 'vim')), active: false })
  pass(HOUR_MS)
  await tick()
  expect(await runs()).toEqual([])
})

test('a change that is limited to maintenance windows waits for one, and others do not', async () => {
  await using fleet = await prepare()
  const { add, tick, report, runs, endRuns, pass, root, pc } = fleet
  await add({
    name: 'Software',
    content: wanting({ ...want('absent', 'telnet'), in_windows: true }, want('present', 'htop')),
    targets: everywhere,
  })
  await report([known('telnet', '0.17')])
  pass(HOUR_MS)
  await tick()
  expect(await runs()).toEqual(['server install-package: Install the package htop by policy'])
  await report([known('telnet', '0.17'), known('htop', '3.3')])
  await endRuns()
  // Without a window nothing happens.
  for (const _ of [1, 2, 3]) {
    pass(HOUR_MS)
    await tick()
  }
  expect(await runs()).toHaveLength(1)
  const schedule = {
    starts: '2026-11-25T16:30',
    minutes: 15,
    time_zone: 'UTC',
    recurs: 'weekly' as const,
    weekdays: [3],
  }
  const targets = [{ type: 'agent' as const, id: pc.agent_id }]
  await root.call(createMaintenanceWindow, { body: { reason: '', targets, schedule } })
  // It is 16:00. The window is seen at 16:10, and opens at 16:30 for a quarter of an hour.
  for (const minutes of [10, 19]) {
    pass(minutes * MINUTE_MS)
    await tick()
  }
  expect(await runs()).toHaveLength(1)
  pass(MINUTE_MS)
  await tick()
  expect((await runs()).slice(1)).toEqual(['server remove-package: Remove the package telnet by policy'])
})

test('software in a policy needs the permission to manage software', async () => {
  await using fleet = await prepare()
  const { server } = fleet
  const permissions = ['can_manage_automation_policies', 'can_list_automation_policies'] as const
  const ada = server.as(await server.given.user({ permissions }))
  const body = {
    name: 'Software',
    active: true,
    content: wanting(want('present', 'htop')),
    targets: everywhere,
  }
  expect((await ada.call(createPolicy, { body })).error.detail).toContain('can_manage_software')
  const twice = { ...body, content: wanting(want('present', 'htop'), want('absent', 'HTOP')) }
  expect((await fleet.root.call(createPolicy, { body: twice })).status).toBe(400)
})
