import { expect, test } from 'vitest'
import { AlertSweep } from './alert-sweep.ts'
import { instant, prepareAlerts } from './test-alerts.ts'

test('spec, alerts: a failing check raises one alert, which gets worse and resolves, with one notification each', async () => {
  await using prepared = await prepareAlerts()
  const { go, machine, check, report, alerts, notified, log, events } = prepared
  const cpu = await check((await machine()).agent_id)
  go(60)
  await report(cpu, [10, 50], [20, 80])
  expect(await alerts()).toMatchObject([
    {
      state: 'open',
      severity: 'warning',
      alert_time: instant(20),
      message: expect.stringContaining('CPU load: 80 %'),
    },
  ])
  const [alert] = await alerts()
  expect(events).toContainEqual({ type: 'alert.changed', ids: [alert?.id], agent_ids: [cpu.agent_id] })
  expect(events).toContainEqual({ type: 'alert_channel.changed', ids: [1] })
  await report(cpu, [30, 81], [40, 95])
  expect(await notified()).toEqual(['check opened'])
  await report(cpu, [50, 96])
  await report(cpu, [55, 10])
  expect(await notified()).toEqual(['check opened', 'check resolved'])
  expect(await alerts()).toMatchObject([{ state: 'resolved', severity: 'error', resolved_on: instant(55) }])
  expect(await log(alert?.id ?? 0)).toEqual(['opened', 'severity_changed', 'resolved'])
})

test('a check that gets worse after its notification is notified again as worse', async () => {
  await using prepared = await prepareAlerts()
  const { go, machine, check, report, notified } = prepared
  const cpu = await check((await machine()).agent_id)
  go(60)
  await report(cpu, [20, 80])
  expect(await notified()).toEqual(['check opened'])
  await report(cpu, [40, 95])
  expect(await notified()).toEqual(['check opened', 'check severity_changed'])
})

test('events during an outage of the server keep their times, and ended ones are not notified', async () => {
  await using prepared = await prepareAlerts()
  const { go, machine, check, report, alerts, notified, sweep, log } = prepared
  const cpu = await check((await machine()).agent_id)
  go(7200)
  await report(cpu, [600, 95], [1200, 10], [1800, 95])
  expect(await notified()).toEqual([])
  const [first, second] = await alerts()
  expect(first).toMatchObject({ state: 'resolved', alert_time: instant(600), resolved_on: instant(1200) })
  expect(second).toMatchObject({ state: 'open', alert_time: instant(1800) })
  expect(await log(first?.id ?? 0)).toEqual(['opened', 'resolved', 'notice_held'])
  await sweep()
  expect(await notified()).toEqual([])
  go(7206)
  await sweep()
  await sweep()
  expect(await notified()).toEqual(['check opened'])
})

test('maintenance suppresses notifications, and a problem that remains after the next run is notified once', async () => {
  await using prepared = await prepareAlerts()
  const { go, machine, check, report, alerts, notified, sweep, setAgent } = prepared
  const { agent_id } = await machine({ maintenance_mode: 1 })
  const cpu = await check(agent_id)
  const other = await prepared.given.check({
    agent_id,
    check_type: 'cpuload',
    settings: cpu.settings,
    revision: 'cpu.1',
  })
  go(60)
  await report(cpu, [20, 80])
  await report(other, [20, 80])
  await sweep()
  expect(await alerts()).toMatchObject([{ hold: 'maintenance' }, { hold: 'maintenance' }])
  await report(other, [50, 10])
  await setAgent(agent_id, { maintenance_mode: 0 })
  await sweep()
  await report(cpu, [55, 80])
  await sweep()
  expect(await notified()).toEqual([])
  go(120)
  await report(cpu, [110, 82])
  await sweep()
  await sweep()
  expect(await notified()).toEqual(['check opened'])
  expect(await alerts()).toMatchObject([{ hold: null, state: 'open' }, { state: 'resolved' }])
  await setAgent(agent_id, { maintenance_mode: 1 })
  await sweep()
  await setAgent(agent_id, { maintenance_mode: 0 })
  await sweep()
  go(180)
  await report(cpu, [170, 82])
  await sweep()
  expect(await notified()).toEqual(['check opened'])
})

test('an overdue machine is one alert and holds its check alerts until it is back and they have run', async () => {
  await using prepared = await prepareAlerts()
  const { go, machine, check, report, alerts, notified, sweep, setAgent } = prepared
  const { agent_id } = await machine()
  const cpu = await check(agent_id)
  go(30)
  await report(cpu, [20, 80])
  expect(await notified()).toEqual(['check opened'])
  await setAgent(agent_id, { connected: 0, last_seen: instant(30) })
  go(30 + 1800)
  await sweep()
  expect(await alerts()).toHaveLength(1)
  go(30 + 1801)
  await sweep()
  await sweep()
  expect(await notified()).toEqual(['check opened', 'availability opened'])
  expect(await alerts()).toMatchObject([
    { hold: 'machine_down' },
    { alert_type: 'availability', severity: 'error', alert_time: instant(30 + 1800) },
  ])
  await setAgent(agent_id, { connected: 1, last_seen: instant(2000) })
  go(2000)
  await sweep()
  expect(await alerts()).toMatchObject([
    { hold: 'machine_down' },
    { state: 'resolved', resolved_on: instant(2000) },
  ])
  go(2100)
  await report(cpu, [2090, 85])
  await sweep()
  expect(await alerts()).toMatchObject([{ hold: null }, {}])
  expect(await notified()).toEqual(['check opened', 'availability opened', 'availability resolved'])
})

test('a resolved overdue alert does not return for the same silence', async () => {
  await using prepared = await prepareAlerts()
  const { go, machine, alerts, sweep, setAgent, ctx } = prepared
  const { agent_id } = await machine({ connected: 0 })
  go(1801)
  await sweep()
  const resolved = {
    state: 'resolved',
    open_cause: null,
    resolved_by: 'ada',
    resolved_on: instant(1801),
  } as const
  await ctx.db.updateTable('alerts').set(resolved).execute()
  await sweep()
  expect(await alerts()).toHaveLength(1)
  await setAgent(agent_id, { last_seen: instant(1900) })
  go(1900 + 1801)
  await sweep()
  expect(await alerts()).toHaveLength(2)
})

test('a site with all machines down at once is one alert', async () => {
  await using prepared = await prepareAlerts()
  const { go, given, machine, alerts, notified, sweep, setAgent } = prepared
  const site = await given.site()
  const lost = [0, 3, 5].map((seconds) =>
    machine({ site_id: site.id, connected: 0, last_seen: instant(seconds) }),
  )
  const machines = await Promise.all(lost)
  for (const seconds of [1801, 1804, 1806, 1807]) {
    go(seconds)
    await sweep()
  }
  expect(await notified()).toEqual(['site opened'])
  expect(await alerts()).toMatchObject([
    { hold: 'site_down' },
    { hold: 'site_down' },
    { hold: 'site_down' },
    { cause: `site:${site.id}`, site_id: site.id, agent_id: null, hold: null, state: 'open' },
  ])
  await setAgent(machines[0]?.agent_id ?? '', { connected: 1, last_seen: instant(1900) })
  go(1900)
  await sweep()
  await sweep()
  expect(await notified()).toEqual(['site opened', 'site resolved'])
  go(2021)
  await sweep()
  await sweep()
  expect(await notified()).toEqual([
    'site opened',
    'site resolved',
    'availability opened',
    'availability opened',
  ])
})

test('five changes within an hour are notified once more as flapping', async () => {
  await using prepared = await prepareAlerts()
  const { go, machine, check, report, alerts, notified, sweep, log } = prepared
  const cpu = await check((await machine()).agent_id)
  let kinds: string[] = []
  for (let turn = 0; turn < 8; turn += 1) {
    const at = 100 + turn * 120
    go(at)
    await report(cpu, [at, 95])
    kinds = await notified()
    if (turn === 7) break
    go(at + 60)
    await report(cpu, [at + 60, 10])
    kinds = await notified()
  }
  expect(kinds.filter((kind) => kind === 'check opened')).toHaveLength(6)
  const all = await alerts()
  expect(all.map(({ flapping }) => flapping)).toEqual([0, 0, 0, 0, 0, 1, 1, 1])
  expect(all.at(-1)).toMatchObject({ hold: 'flapping', state: 'open' })
  expect(await log(all[5]?.id ?? 0)).toContain('flapping')
  go(100 + 7 * 120 + 1800)
  await sweep()
  expect((await notified()).filter((kind) => kind === 'check opened')).toHaveLength(7)
})

test('after a start or a resume machines get time to reconnect', async () => {
  await using prepared = await prepareAlerts()
  const { go, machine, alerts, ctx } = prepared
  await machine({ connected: 0 })
  go(3600)
  await using sweep = new AlertSweep(ctx)
  await sweep.sweep()
  for (const seconds of [3650, 3700]) {
    go(seconds)
    await sweep.sweep()
  }
  expect(await alerts()).toEqual([])
  go(3720)
  await sweep.sweep()
  expect(await alerts()).toMatchObject([{ alert_time: instant(1800) }])
})

test('two concurrent sweeps raise and notify one alert', async () => {
  await using prepared = await prepareAlerts()
  const { go, machine, alerts, notified, sweep } = prepared
  await Promise.all([machine({ connected: 0 }), machine({ connected: 0 }), machine({ connected: 0 })])
  go(1801)
  await Promise.all([sweep(), sweep(), sweep()])
  await sweep()
  expect(await alerts()).toHaveLength(3)
  expect(await notified()).toEqual(['availability opened', 'availability opened', 'availability opened'])
})

test('alerts for checks that failed before alerts existed are raised at the start', async () => {
  await using prepared = await prepareAlerts()
  const { go, machine, check, report, alerts, ctx } = prepared
  const cpu = await check((await machine()).agent_id)
  go(60)
  await report(cpu, [20, 80])
  await ctx.db.deleteFrom('alerts').execute()
  await using sweep = new AlertSweep(ctx)
  await sweep.sweep()
  expect(await alerts()).toMatchObject([{ state: 'open', alert_time: instant(20), severity: 'warning' }])
})
