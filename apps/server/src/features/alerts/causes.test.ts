import {
  AlertPart,
  changeAlerts,
  countAlerts,
  createAlert,
  getAlert,
  listAlertCauses,
  listAlerts,
} from '@muster/contract/api/alerts'
import { expect, test } from 'vitest'
import { takeCheckFindings } from './check-alerts.ts'
import { instant, prepareAlerts } from './test-alerts.ts'

const SPOOLER = 'check:error:Service spooler'

/** The spooler has stopped on two machines of Acme and one of Birch; ssh warns on one. */
async function prepare() {
  const prepared = await prepareAlerts()
  const { server, ctx, given, machine } = prepared
  const [acme, birch] = [await given.client({ name: 'Acme' }), await given.client({ name: 'Birch' })]
  const north = await given.site({ client_id: acme.id, name: 'North' })
  const south = await given.site({ client_id: birch.id, name: 'South' })
  const machines = {
    pc1: await machine({ hostname: 'pc-1', site_id: north.id }),
    pc2: await machine({ hostname: 'pc-2', site_id: north.id }),
    pc3: await machine({ hostname: 'pc-3', site_id: south.id }),
  }
  const fails = async (name: keyof typeof machines, service: string, severity: 'error' | 'warning') => {
    const check = await given.check({
      agent_id: machines[name].agent_id,
      check_type: 'service',
      settings: JSON.stringify({ svc_name: service, svc_display_name: '' }),
    })
    await ctx.transaction((tx, emit) =>
      takeCheckFindings(
        { ctx, tx, emit },
        [{ checkId: check.id, at: ctx.now(), severity, text: 'stopped' }],
        'machine',
      ),
    )
    return check
  }
  await fails('pc1', 'spooler', 'error')
  await fails('pc2', 'spooler', 'error')
  await fails('pc3', 'spooler', 'error')
  await fails('pc1', 'ssh', 'warning')
  const ada = server.as(await given.user({ username: 'ada', superuser: true }))
  const ofBirch = server.as(
    await given.user({
      username: 'bea',
      permissions: ['can_list_alerts', 'can_manage_alerts'],
      clients: [birch.id],
    }),
  )
  return {
    ...prepared,
    ada,
    ofBirch,
    acme,
    birch,
    machines,
    fails,
    causes: async (body: object = {}, as = ada) => (await as.call(listAlertCauses, { body })).body,
    of: async (cause: string, body: object = {}, as = ada) =>
      (await as.call(listAlerts, { body: { cause, ...body } })).body,
  }
}

test('alerts of the same check and severity are one cause, the worst and largest first', async () => {
  await using prepared = await prepare()
  const { causes, of, fails, ada } = prepared
  await ada.call(createAlert, { body: { message: 'The backup is late', severity: 'info' } })
  await fails('pc2', 'ssh', 'error')
  const { alerts, total, causes: listed } = await causes()
  expect({ alerts, total }).toEqual({ alerts: 6, total: 4 })
  expect(listed.map(({ key, machines }) => [key, machines])).toEqual([
    [SPOOLER, 3],
    ['check:error:Service ssh', 1],
    ['check:warning:Service ssh', 1],
    ['custom:info:The backup is late', 0],
  ])
  expect(listed[0]).toMatchObject({
    name: 'Service spooler',
    clients: [
      { name: 'Acme', alerts: 2 },
      { name: 'Birch', alerts: 1 },
    ],
    since: instant(0),
    newest: instant(0),
    next_notice: instant(0),
  })
  const spooler = await of(SPOOLER)
  expect(spooler.alerts_count).toBe(3)
  expect(spooler.alerts.map(({ hostname }) => hostname).toSorted()).toEqual(['pc-1', 'pc-2', 'pc-3'])
  expect((await of('custom:info:The backup is late')).alerts_count).toBe(1)
})

test('an alert names its cause until it is resolved', async () => {
  await using prepared = await prepare()
  const { ada, of } = prepared
  const id = (await of(SPOOLER)).alerts[0]?.id ?? 0
  const read = async () => (await ada.call(getAlert, { params: { id } })).body
  expect(await read()).toMatchObject({ cause: SPOOLER, next_notice: instant(0) })
  await ada.call(changeAlerts, { body: { bulk_action: 'resolve', alerts: [id] } })
  expect(await read()).toMatchObject({ cause: null, next_notice: null })
})

test('filters apply to causes, to the alerts of a cause, and to changes of a whole cause', async () => {
  await using prepared = await prepare()
  const { causes, of, ada, acme, birch } = prepared
  const ofAcme = { clientFilter: [acme.id] }
  expect((await causes({ clientFilter: [birch.id] })).causes.map(({ key }) => key)).toEqual([SPOOLER])
  expect((await causes({ search: 'ssh' })).causes.map(({ name }) => name)).toEqual(['Service ssh'])
  expect((await causes({ severityFilter: [] })).total).toBe(0)
  expect((await of(SPOOLER, ofAcme)).alerts_count).toBe(2)
  const { body } = await ada.call(changeAlerts, {
    body: { bulk_action: 'acknowledge', group: { cause: SPOOLER, ...ofAcme } },
  })
  expect(body).toEqual({ changed: 2 })
  expect((await causes()).causes[0]).toMatchObject({ alerts: 3, acknowledged: 2, acknowledged_by: 'ada' })
})

test('a whole cause is snoozed in one request with one audit row and one event', async () => {
  await using prepared = await prepare()
  const { causes, ada, ctx, events } = prepared
  events.length = 0
  await ada.call(changeAlerts, {
    body: { bulk_action: 'snooze', group: { cause: SPOOLER }, snooze_until: instant(3600), note: 'Patched' },
  })
  const audited = await ctx.db
    .selectFrom('audit_log')
    .select('message')
    .where('object_type', '=', 'alert')
    .execute()
  expect(audited).toEqual([{ message: 'Snoozed 3 alerts "Service spooler"' }])
  expect(events.filter(({ type }) => type === 'alert.changed')).toHaveLength(1)
  expect((await causes()).causes.map(({ name }) => name)).toEqual(['Service ssh'])
  expect((await causes({ snoozedFilter: true })).causes[0]).toMatchObject({
    key: SPOOLER,
    snoozed: 3,
    snooze_until: instant(3600),
  })
})

test('a role sees and changes only the alerts of its clients', async () => {
  await using prepared = await prepare()
  const { causes, of, ofBirch, server, given } = prepared
  expect((await causes({}, ofBirch)).causes).toMatchObject([{ key: SPOOLER, machines: 1, hostname: 'pc-3' }])
  expect((await of(SPOOLER, {}, ofBirch)).alerts.map(({ hostname }) => hostname)).toEqual(['pc-3'])
  const group = { cause: SPOOLER }
  const resolved = await ofBirch.call(changeAlerts, { body: { bulk_action: 'resolve', group } })
  expect(resolved.body).toEqual({ changed: 1 })
  expect((await causes()).causes[0]).toMatchObject({ key: SPOOLER, machines: 2 })
  const reader = server.as(await given.user({ permissions: ['can_list_alerts'] }))
  const body = { bulk_action: 'resolve', group } as const
  expect((await reader.call(changeAlerts, { body })).status).toBe(403)
  const stranger = server.as(await given.user({ permissions: ['can_list_agents'] }))
  expect((await stranger.call(listAlertCauses, { body: {} })).status).toBe(403)
})

test('each part is counted as it is listed, by filter and for each role', async () => {
  await using prepared = await prepare()
  const { ada, ofBirch, acme, machines, of, causes, ctx, server, given } = prepared
  const counts = async (body: object = {}, as = ada) => (await as.call(countAlerts, { body })).body
  const none = { open: 0, acknowledged: 0, snoozed: 0, suppressed: 0, resolved: 0, all: 0 }
  expect(await counts()).toEqual({ ...none, open: 4, all: 4 })
  const spooler = new Map((await of(SPOOLER)).alerts.map(({ hostname, id }) => [hostname, id]))
  const act = (bulk_action: 'acknowledge' | 'snooze' | 'resolve', hostname: string) =>
    ada.call(changeAlerts, {
      body: { bulk_action, alerts: [spooler.get(hostname) ?? 0], snooze_until: instant(100 * DAY) },
    })
  await act('acknowledge', 'pc-1')
  await act('snooze', 'pc-2')
  await act('resolve', 'pc-3')
  await ctx.db
    .updateTable('alerts')
    .set({ hold: 'maintenance' })
    .where('agent_id', '=', machines.pc1.agent_id)
    .where('severity', '=', 'warning')
    .execute()
  await ada.call(createAlert, { body: { message: 'The backup is late', severity: 'info' } })
  const expected = { open: 3, acknowledged: 1, snoozed: 1, suppressed: 1, resolved: 1, all: 5 }
  expect(await counts()).toEqual(expected)
  for (const stateFilter of AlertPart.options) {
    const { body } = await ada.call(listAlerts, { body: { stateFilter } })
    expect([stateFilter, body.alerts_count, body.alerts.length]).toEqual([
      stateFilter,
      expected[stateFilter],
      expected[stateFilter],
    ])
    const isUnresolved = stateFilter !== 'resolved' && stateFilter !== 'all'
    expect((await causes({ stateFilter })).alerts).toBe(
      isUnresolved ? expected[stateFilter] : stateFilter === 'all' ? 4 : 0,
    )
  }
  expect(await counts({ clientFilter: [acme.id] })).toEqual({ ...expected, open: 2, resolved: 0, all: 3 })
  expect(await counts({ search: 'ssh' })).toEqual({ ...none, suppressed: 1, all: 1 })
  expect(await counts({ severityFilter: ['error'], search: 'pc-3' })).toEqual({
    ...none,
    resolved: 1,
    all: 1,
  })
  expect(await counts({ typeFilter: [] })).toEqual(none)
  // The alert of no client is for everyone, those of Acme are not.
  expect(await counts({}, ofBirch)).toEqual({ ...none, open: 1, resolved: 1, all: 2 })
  await ctx.db
    .updateTable('alerts')
    .set({ alert_time: instant(-2 * DAY) })
    .where('state', '=', 'resolved')
    .execute()
  expect(await counts({ timeFilter: 1 }, ofBirch)).toEqual({ ...none, open: 1, all: 1 })
  const stranger = server.as(await given.user({ permissions: ['can_list_agents'] }))
  expect((await stranger.call(countAlerts, { body: {} })).status).toBe(403)
})

test('a change of a whole cause stays in the part that is shown', async () => {
  await using prepared = await prepare()
  const { ada, of, causes } = prepared
  const [first] = (await of(SPOOLER)).alerts
  await ada.call(changeAlerts, { body: { bulk_action: 'acknowledge', alerts: [first?.id ?? 0] } })
  const { body } = await ada.call(changeAlerts, {
    body: { bulk_action: 'resolve', group: { cause: SPOOLER, stateFilter: 'acknowledged' } },
  })
  expect(body).toEqual({ changed: 1 })
  expect((await causes({ stateFilter: 'open' })).causes[0]).toMatchObject({ key: SPOOLER, alerts: 2 })
})

const DAY = 86_400

test.each(['check', 'check:error', 'check:error:', 'toString:error:x', 'nothing', ':::', 'custom:\0:\0'])(
  'the unknown cause %j has no alerts',
  async (cause) => {
    await using prepared = await prepare()
    const { of, ada } = prepared
    expect(await of(cause)).toMatchObject({ alerts_count: 0, alerts: [] })
    const { status } = await ada.call(changeAlerts, { body: { bulk_action: 'resolve', group: { cause } } })
    expect(status).toBe(404)
  },
)

test('a change names alerts or a cause, not both and not neither', async () => {
  await using prepared = await prepare()
  const { ada } = prepared
  for (const body of [{}, { alerts: [1], group: { cause: SPOOLER } }]) {
    const { status, error } = await ada.call(changeAlerts, { body: { bulk_action: 'resolve', ...body } })
    expect([status, error.detail]).toEqual([400, expect.stringContaining('Name alerts or a cause.')])
  }
})
