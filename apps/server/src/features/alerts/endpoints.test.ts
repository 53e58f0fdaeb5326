import {
  changeAlert,
  changeAlerts,
  createAlert,
  getAlert,
  listAlerts,
  noteAlert,
} from '@muster/contract/api/alerts'
import { deleteCheck, resetCheck } from '@muster/contract/api/checks'
import { expect, test } from 'vitest'
import { MAX_LOG_ENTRIES, writeAlertLog } from './alert-log.ts'
import { removeOldAlerts } from './jobs.ts'
import { instant, prepareAlerts } from './test-alerts.ts'

async function prepare() {
  const prepared = await prepareAlerts()
  const { server, go, machine, check, report, alerts } = prepared
  const ada = server.as(await server.given.user({ username: 'ada', superuser: true }))
  const { agent_id } = await machine()
  const cpu = await check(agent_id)
  go(60)
  await report(cpu, [20, 80])
  const [alert] = await alerts()
  const id = alert?.id ?? 0
  const act = (body: Parameters<typeof ada.call<typeof changeAlert>>[1]['body']) =>
    ada.call(changeAlert, { params: { id }, body })
  const list = async (body: object = {}) => (await ada.call(listAlerts, { body })).body
  return { ...prepared, ada, cpu, id, act, list }
}

test('an alert is acknowledged with a note, and the acknowledgement can be undone', async () => {
  await using prepared = await prepare()
  const { act, ada, id, list, ctx } = prepared
  const { body } = await act({ type: 'acknowledge', note: 'I look at it' })
  expect(body).toMatchObject({ state: 'acknowledged', acknowledged_by: 'ada', acknowledged_on: instant(60) })
  expect((await list({ top: 10 })).alerts_count).toBe(0)
  expect(await list()).toMatchObject({ alerts_count: 1, worst: 'warning' })
  expect((await act({ type: 'acknowledge' })).error).toMatchObject({
    code: 'conflict',
    detail: 'ada has already acknowledged this alert.',
  })
  await act({ type: 'unacknowledge' })
  const { log } = (await ada.call(getAlert, { params: { id } })).body
  expect(log.map(({ kind, by, text }) => [kind, by, text])).toEqual([
    ['opened', '', expect.stringContaining('CPU load')],
    ['acknowledged', 'ada', 'I look at it'],
    ['unacknowledged', 'ada', ''],
  ])
  const audited = await ctx.db.selectFrom('audit_log').select(['object_type', 'message']).execute()
  expect(audited[0]).toMatchObject({
    object_type: 'alert',
    message: expect.stringMatching(/^Acknowledged the alert "PC-.*"$/),
  })
})

test('a snoozed alert is not notified, and opens and notifies again at its end', async () => {
  await using prepared = await prepare()
  const { act, go, notified, sweep, report, cpu, list } = prepared
  expect(await notified()).toEqual(['check opened'])
  expect((await act({ type: 'snooze' })).error.fields).toHaveProperty('snooze_until')
  expect((await act({ type: 'snooze', snooze_until: instant(60) })).status).toBe(400)
  expect((await act({ type: 'snooze', snooze_until: '2026-03-01T13:00:00+00:00' })).status).toBe(400)
  expect((await act({ type: 'snooze', snooze_until: instant(3600) })).body.snooze_until).toBe(instant(3600))
  expect((await list()).alerts_count).toBe(0)
  expect((await list({ snoozedFilter: true })).alerts_count).toBe(1)
  await report(cpu, [50, 95])
  go(3599)
  await sweep()
  expect(await notified()).toEqual(['check opened'])
  go(3600)
  await sweep()
  await sweep()
  expect(await notified()).toEqual(['check opened', 'check repeated'])
  expect((await act({ type: 'snooze', snooze_days: 2 })).body.snooze_until).toBe(instant(3600 + 172_800))
})

test('a snooze survives a recovery until it ends or is undone', async () => {
  await using prepared = await prepare()
  const { act, ada, go, cpu, report, notified, alerts, sweep } = prepared
  expect(await notified()).toEqual(['check opened'])
  await act({ type: 'snooze', snooze_until: instant(7200) })
  for (const seconds of [600, 1200, 5400]) {
    go(seconds)
    await report(cpu, [seconds - 30, 10], [seconds, 95])
    await sweep()
  }
  const last = (await alerts()).at(-1)
  expect(last).toMatchObject({ state: 'snoozed', snooze_until: instant(7200) })
  const before = ['check opened', 'check resolved']
  expect(await notified()).toEqual(before)
  go(7201)
  await sweep()
  expect(await notified()).toEqual([...before, 'check opened'])
  const params = { id: last?.id ?? 0 }
  await ada.call(changeAlert, { params, body: { type: 'snooze', snooze_until: instant(9000) } })
  await ada.call(changeAlert, { params, body: { type: 'unsnooze' } })
  go(7300)
  await report(cpu, [7270, 10], [7300, 95])
  expect((await alerts()).at(-1)).toMatchObject({ state: 'open', snooze_until: null })
})

test('an alert resolved by a user reopens when the check fails again, and not when it passes', async () => {
  await using prepared = await prepare()
  const { act, go, sweep, report, cpu, alerts, notified } = prepared
  expect((await act({ type: 'resolve', note: 'done' })).body).toMatchObject({
    state: 'resolved',
    resolved_by: 'ada',
  })
  await sweep()
  expect(await alerts()).toHaveLength(1)
  go(120)
  await report(cpu, [100, 82])
  await sweep()
  await sweep()
  const again = await alerts()
  expect(again).toMatchObject([{ state: 'resolved' }, { state: 'open', alert_time: instant(100) }])
  await prepared.ada.call(changeAlert, { params: { id: again[1]?.id ?? 0 }, body: { type: 'resolve' } })
  go(180)
  await report(cpu, [170, 10])
  await sweep()
  expect(await alerts()).toHaveLength(2)
  expect((await notified()).filter((kind) => kind === 'check opened').length).toBeLessThanOrEqual(2)
})

test('the alert of a check ends when the check is reset or deleted', async () => {
  await using prepared = await prepare()
  const { ada, cpu, alerts, report, go, id } = prepared
  await ada.call(resetCheck, { params: { id: cpu.id } })
  expect(await alerts()).toMatchObject([{ id, state: 'resolved', resolved_by: '' }])
  go(120)
  await report(cpu, [110, 95])
  await ada.call(deleteCheck, { params: { id: cpu.id } })
  expect(await alerts()).toMatchObject([{}, { state: 'resolved', check_id: null, open_cause: null }])
})

test('a custom alert with the key of an open one changes it instead of adding another', async () => {
  await using prepared = await prepare()
  const { ada, server, alerts, machine } = prepared
  const raise = (body: Parameters<typeof ada.call<typeof createAlert>>[1]['body']) =>
    ada.call(createAlert, { body })
  const first = (await raise({ message: 'Backup failed', severity: 'warning', key: 'back\0up' })).body
  const second = (await raise({ message: 'Backup failed twice', severity: 'error', key: 'back\0up' })).body
  expect(second).toMatchObject({ id: first.id, severity: 'error', message: 'Backup failed twice' })
  const { agent_id } = await machine({ maintenance_mode: 1 })
  const held = (await raise({ message: 'x', severity: 'info', agent: agent_id, key: 'back\0up' })).body
  expect(held).toMatchObject({ hold: 'maintenance', agent_id })
  await raise({ message: 'x', severity: 'info' })
  expect(await alerts()).toHaveLength(4)
  const site = await server.given.site()
  expect((await raise({ message: 'x', severity: 'info', agent: agent_id, site: site.id })).status).toBe(400)
  expect((await raise({ message: ' ', severity: 'info' })).error.detail).toContain('A message is needed.')
})

test('a user with one client reads and changes the alerts of that client and those without a client', async () => {
  await using prepared = await prepare()
  const { server, ada, id } = prepared
  const other = await server.given.site()
  const eve = server.as(
    await server.given.user({ permissions: ['can_list_alerts', 'can_manage_alerts'], sites: [other.id] }),
  )
  const general = (await ada.call(createAlert, { body: { message: 'General', severity: 'info' } })).body
  const ofSite = (
    await ada.call(createAlert, { body: { message: 'Of the site', severity: 'error', site: other.id } })
  ).body
  const seen = (await eve.call(listAlerts, { body: {} })).body
  expect(seen.alerts.map((alert) => alert.id)).toEqual([ofSite.id, general.id])
  expect((await eve.call(getAlert, { params: { id } })).status).toBe(404)
  expect((await eve.call(changeAlert, { params: { id }, body: { type: 'resolve' } })).status).toBe(404)
  expect((await eve.call(noteAlert, { params: { id }, body: { note: 'x' } })).status).toBe(404)
  const bulk = await eve.call(changeAlerts, {
    body: { bulk_action: 'resolve', alerts: [id, general.id, ofSite.id, 99_999] },
  })
  expect(bulk.body).toEqual({ changed: 2 })
  expect((await ada.call(getAlert, { params: { id } })).body.state).toBe('open')
})

test('a full log of an alert says so', async () => {
  await using prepared = await prepare()
  const { ada, id, act, ctx, log } = prepared
  const entry = { alert_id: id, at: instant(60), kind: 'noted' as const, text: 'x' }
  await writeAlertLog(
    ctx.db,
    Array.from({ length: MAX_LOG_ENTRIES - 2 }, () => entry),
  )
  const refused = await ada.call(noteAlert, { params: { id }, body: { note: 'one more' } })
  expect(refused.error.detail).toContain('full')
  await act({ type: 'acknowledge' })
  await act({ type: 'unacknowledge' })
  await act({ type: 'resolve' })
  const kinds = await log(id)
  expect(kinds).toHaveLength(MAX_LOG_ENTRIES + 1)
  expect(kinds.slice(-2)).toEqual(['noted', 'resolved'])
})

test('100,000 resolved alerts are paged and counted, and deleted after a year', async () => {
  await using prepared = await prepare()
  const { ctx, list, server, cpu } = prepared
  const row = {
    cause: `check:${cpu.id}`,
    open_cause: null,
    alert_type: 'check' as const,
    state: 'resolved' as const,
    severity: 'error' as const,
    message: 'Old',
    agent_id: cpu.agent_id,
    check_id: cpu.id,
    acknowledged_by: '',
    resolved_by: '',
    flapping: 0 as const,
    created_at: instant(0),
    modified: instant(0),
  }
  for (let slice = 0; slice < 100; slice += 1) {
    const values = Array.from({ length: 1000 }, (_, index) => {
      const at = instant(-(slice * 1000 + index) * 60)
      return { ...row, alert_time: at, resolved_on: at }
    })
    await ctx.db.insertInto('alerts').values(values).execute()
  }
  expect((await list({ top: 10 })).alerts_count).toBe(1)
  const page = await list({ resolvedFilter: true, page: 2, page_size: 50 })
  expect(page).toMatchObject({ alerts_count: 100_001, worst: 'error' })
  expect(page.alerts[0]?.alert_time).toBe(instant(-49 * 60))
  expect((await list({ resolvedFilter: true, timeFilter: 1, page: 1 })).alerts_count).toBe(1 + 1440)
  server.clock.advance(300 * 86_400)
  await removeOldAlerts(ctx, new AbortController().signal)
  // Ada's session has expired.
  const bob = server.as(await server.given.user({ username: 'bob', superuser: true }))
  const left = (await bob.call(listAlerts, { body: { resolvedFilter: true, page: 1 } })).body.alerts_count
  expect(left).toBe(1 + 65 * 1440)
})
