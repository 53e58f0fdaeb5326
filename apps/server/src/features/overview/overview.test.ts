import { getOverview } from '@muster/contract/api/overview'
import { changeAlert, createAlert, listAlerts } from '@muster/contract/api/alerts'
import { listAgents, setMaintenance } from '@muster/contract/api/agents'
import { planFleetJob, startFleetJob } from '@muster/contract/api/fleet-jobs'
import { createMaintenanceWindow } from '@muster/contract/api/maintenance'
import { createRepeatingJob } from '@muster/contract/api/repeating-jobs'
import { expect, test } from 'vitest'
import { mergeSamples } from '../../samples/merge-samples.ts'
import { createTestServer } from '../../testing/test-server.ts'
import { storeFactReports } from '../agents/store-facts.ts'
import { takeCheckFindings } from '../alerts/check-alerts.ts'
import { storeMetrics } from '../metrics/store-metrics.ts'
import { forecastDisks } from './forecast-disks.ts'

const NOW = '2026-11-24T09:41:00.000Z'
const minutesAgo = (minutes: number) => new Date(Date.parse(NOW) - minutes * 60_000).toISOString()

/** Two clients: SRV-1, PC-1 and PC-2 of Acme, PC-3 of Birch. */
async function prepare() {
  const server = await createTestServer()
  server.clock.freeze(NOW)
  const { given } = server
  const [acme, birch] = [await given.client({ name: 'Acme' }), await given.client({ name: 'Birch' })]
  const [north, south] = [
    await given.site({ client_id: acme.id, name: 'North' }),
    await given.site({ client_id: birch.id, name: 'South' }),
  ]
  const online = { connected: 1, last_seen: NOW } as const
  const srv1 = await given.agent({
    hostname: 'SRV-1',
    site_id: north.id,
    monitoring_type: 'server',
    last_seen: minutesAgo(600),
    overdue_time: 30,
    offline_time: 4,
  })
  const pc1 = await given.agent({ hostname: 'PC-1', site_id: north.id, ...online })
  const pc2 = await given.agent({ hostname: 'PC-2', site_id: north.id, ...online, maintenance_mode: 1 })
  const pc3 = await given.agent({ hostname: 'PC-3', site_id: south.id, ...online })
  const root = server.as(await given.user({ superuser: true }))
  return {
    server,
    given,
    root,
    acme,
    birch,
    srv1,
    pc1,
    pc2,
    pc3,
    read: async (as = root, query: { client?: number } = {}) => (await as.call(getOverview, { query })).body,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const NONE = { overdue: 0, failing: 0, warning: 0, offline: 0, maintenance: 0, unchecked: 0, healthy: 0 }

test('machines are counted once, by their worst state, and clients worst first', async () => {
  await using fixture = await prepare()
  const { given, read, acme, birch, pc1 } = fixture
  await given.check({ agent_id: pc1.agent_id })
  expect(await read()).toMatchObject({
    machines: 4,
    connected: 3,
    counts: { ...NONE, overdue: 1, maintenance: 1, unchecked: 1, healthy: 1 },
    clients: [
      { id: acme.id, name: 'Acme', machines: 3, counts: { overdue: 1, maintenance: 1, healthy: 1 } },
      { id: birch.id, name: 'Birch', machines: 1, counts: { ...NONE, unchecked: 1 } },
    ],
  })
})

test('one client limits the counts, and a role shows only its own machines', async () => {
  await using fixture = await prepare()
  const { server, given, read, acme, birch } = fixture
  expect(await read(undefined, { client: birch.id })).toMatchObject({
    machines: 1,
    counts: { ...NONE, unchecked: 1 },
    clients: [{ name: 'Birch' }],
  })
  const limited = server.as(await given.user({ permissions: ['can_list_agents'], clients: [birch.id] }))
  const seen = await read(limited)
  expect(seen).toMatchObject({ machines: 1, clients: [{ name: 'Birch' }] })
  expect(JSON.stringify(seen)).not.toMatch(/Acme|SRV-1|PC-1/)
  expect((await limited.call(getOverview, { query: { client: acme.id } })).status).toBe(404)
})

test('a role that may not list machines is refused, as is a malformed client', async () => {
  await using fixture = await prepare()
  const { server, given, root } = fixture
  const stranger = server.as(await given.user({ permissions: ['can_list_alerts'] }))
  expect((await stranger.call(getOverview, { query: {} })).status).toBe(403)
  // Not a number, as no typed caller would send it.
  const hostile = { client: 'Acme' as unknown as number }
  expect((await root.call(getOverview, { query: hostile })).status).toBe(400)
})

test('a machine that starts to fail is in the next response', async () => {
  await using fixture = await prepare()
  const { server, given, root, read, pc1 } = fixture
  await root.call(listAgents, { query: {} })
  const check = await given.check({ agent_id: pc1.agent_id })
  await server.ctx.db
    .insertInto('check_results')
    .values({
      check_id: check.id,
      status: 'failing',
      alert_severity: 'error',
      more_info: '',
      last_run: NOW,
      ran_at: Date.parse(NOW) / 1000,
      fail_count: 1,
      failing_since: NOW,
      measured: '{}',
    })
    .execute()
  await server.ctx.transaction(async (_tx, emit) => emit({ type: 'agent.changed', ids: [pc1.agent_id] }))
  expect((await read()).counts).toEqual({ ...NONE, overdue: 1, failing: 1, maintenance: 1, unchecked: 1 })
})

test('alerts of the same check are one cause, the worst and largest first', async () => {
  await using fixture = await prepare()
  const { server, given, root, read, pc1, pc3, srv1, birch } = fixture
  const fails = async (agent: typeof pc1, service: string, severity: 'error' | 'warning') => {
    const check = await given.check({
      agent_id: agent.agent_id,
      check_type: 'service',
      settings: JSON.stringify({ svc_name: service, svc_display_name: '' }),
    })
    await server.ctx.transaction((tx, emit) =>
      takeCheckFindings(
        { ctx: server.ctx, tx, emit },
        [{ checkId: check.id, at: server.ctx.now(), severity, text: 'stopped' }],
        'machine',
      ),
    )
  }
  await fails(pc1, 'ssh', 'warning')
  await fails(pc1, 'spooler', 'error')
  await fails(pc3, 'spooler', 'error')
  await fails(srv1, 'cron', 'error')
  await root.call(createAlert, { body: { message: 'The backup is late', severity: 'info' } })
  const { causes } = await read()
  expect(causes?.shown.map(({ name, severity, machines, servers }) => [name, severity, machines, servers]))
    .toEqual([
      ['Service spooler', 'error', 2, 0],
      ['Service cron', 'error', 1, 1],
      ['Service ssh', 'warning', 1, 0],
      ['The backup is late', 'info', 0, 0],
    ]) // prettier-ignore
  expect(causes).toMatchObject({ total: 4, unacknowledged: 4 })
  expect(causes?.shown[0]).toMatchObject({
    clients: [
      { name: 'Acme', alerts: 1 },
      { name: 'Birch', alerts: 1 },
    ],
    hostname: '',
    since: NOW,
    key: 'check:error:Service spooler',
  })
  expect(causes?.shown[1]).toMatchObject({ hostname: 'SRV-1' })

  const permissions = ['can_list_agents', 'can_list_alerts'] as const
  const limited = server.as(await given.user({ permissions, clients: [birch.id] }))
  const seen = (await read(limited)).causes
  expect(seen?.shown.map(({ name, machines }) => [name, machines])).toEqual([
    ['Service spooler', 1],
    ['The backup is late', 0],
  ])
  expect((await read(undefined, { client: birch.id })).causes?.total).toBe(1)
})

test('causes are compared with those of 24 hours ago', async () => {
  await using fixture = await prepare()
  const { server, given, root, read } = fixture
  await root.call(createAlert, { body: { message: 'Gone', severity: 'error' } })
  await root.call(createAlert, { body: { message: 'Stays', severity: 'error', key: 'stays' } })
  server.clock.advance(25 * 3600)
  const ada = server.as(await given.user({ superuser: true }))
  const { body: list } = await ada.call(listAlerts, { body: { search: 'Gone' } })
  await ada.call(changeAlert, { params: { id: list.alerts[0]?.id ?? 0 }, body: { type: 'resolve' } })
  await ada.call(createAlert, { body: { message: 'New', severity: 'warning' } })
  const since = { new_since_yesterday: 1, gone_since_yesterday: 1 }
  expect((await read(ada)).causes).toMatchObject({ total: 2, ...since })
  // A day later nothing has changed since.
  server.clock.advance(25 * 3600)
  const again = server.as(await given.user({ superuser: true }))
  expect((await read(again)).causes).toMatchObject({ new_since_yesterday: 0, gone_since_yesterday: 0 })
})

test('parts that the role does not allow are absent', async () => {
  await using fixture = await prepare()
  const { server, given, read } = fixture
  const limited = server.as(await given.user({ permissions: ['can_list_agents'] }))
  expect(await read(limited)).toMatchObject({ causes: null, patches: null, jobs: null })
  expect(await read()).toMatchObject({
    causes: { total: 0, shown: [] },
    patches: { critical: 0, undecided: 0 },
    jobs: [],
  })
})

test('a disk that fills up has the day on which it is full', async () => {
  await using fixture = await prepare()
  const { server, given, read, pc1, birch } = fixture
  const { ctx } = server
  const HOURS = 96
  for (let hoursAgo = HOURS; hoursAgo >= 0; hoursAgo -= 1) {
    const at = minutesAgo(60 * hoursAgo)
    const values = { 'disk:/data': 90 - hoursAgo / 12, 'disk:/': 40 }
    await ctx.transaction((tx) => storeMetrics(tx, ctx, [{ agentId: pc1.agent_id, sample: { at, values } }]))
  }
  const { signal } = new AbortController()
  await mergeSamples(ctx, { olderThanSeconds: 0, signal })
  await ctx.transaction((tx, emit) =>
    storeFactReports({ ctx, tx, emit }, [
      {
        agentId: pc1.agent_id,
        report: {
          kind: 'facts',
          facts: {
            hostname: 'PC-1',
            platform: 'linux',
            arch: 'x64',
            disks: [
              { device: 'sda1', mount: '/data', fstype: 'ext4', total: 100, used: 90, free: 10, percent: 90 },
            ],
          },
        },
      },
    ]),
  )
  await forecastDisks(ctx, signal)
  const { disks } = await read()
  expect(disks).toMatchObject({
    total: 1,
    shown: [{ agent_id: pc1.agent_id, hostname: 'PC-1', mount: '/data', free: 10, total: 100 }],
  })
  // 10 % are left, and 2 % are used a day.
  const days = (Date.parse(disks.shown[0]?.full_at ?? '') - Date.parse(NOW)) / 86_400_000
  expect(days).toBeCloseTo(5, 0)
  expect(disks.shown[0]?.points.length).toBeGreaterThan(3)
  const limited = server.as(await given.user({ permissions: ['can_list_agents'], clients: [birch.id] }))
  expect((await read(limited)).disks).toEqual({ total: 0, shown: [] })
  // The next hour replaces the forecasts.
  await forecastDisks(ctx, signal)
  expect((await read()).disks.total).toBe(1)
})

test('machines in maintenance without an end are named', async () => {
  await using fixture = await prepare()
  const { root, read, acme, birch } = fixture
  await root.call(setMaintenance, { body: { type: 'Client', id: birch.id, action: true } })
  const { maintenance } = await read()
  expect(maintenance).toMatchObject([
    { targets: [{ type: 'agent', name: 'PC-2' }], machines: 1, until: null },
    { targets: [{ type: 'agent', name: 'PC-3' }], machines: 1, until: null },
  ])
  expect((await read(undefined, { client: acme.id })).maintenance).toHaveLength(1)
})

test('the next job, maintenance and installation are named, of machines that the role sees', async () => {
  await using fixture = await prepare()
  const { server, given, root, read, acme, birch, pc1, pc2 } = fixture
  const { db } = server.ctx
  await root.call(createMaintenanceWindow, {
    body: {
      reason: 'New disks',
      targets: [
        { type: 'client', id: acme.id },
        { type: 'agent', id: pc1.agent_id },
      ],
      schedule: { starts: '2026-11-26T02:00', minutes: 60, time_zone: 'UTC', recurs: 'once' },
    },
  })
  const draft = {
    name: 'Restart tonight',
    target: { by: 'agents' as const, agents: [pc1.agent_id] },
    action: { type: 'command' as const, shell: 'bash' as const, cmd: 'true' },
    schedule: { start: { at: 'time' as const, time: '2026-11-25T20:00:00.000Z' } },
  }
  const { body: plan } = await root.call(planFleetJob, { body: draft })
  const { body: job } = await root.call(startFleetJob, { body: { draft, hash: plan.hash } })
  const install = (agent: typeof pc1, next_at: string) =>
    db
      .insertInto('machine_patch_policies')
      .values({ agent: agent.id, next_at, next_until: next_at })
      .execute()
  await install(pc1, '2026-11-24T23:00:00.000Z')
  await install(pc2, '2026-11-24T23:00:00.000Z')
  await install(fixture.pc3, '2026-11-25T23:00:00.000Z')
  expect((await read()).next).toMatchObject([
    { kind: 'patches', at: '2026-11-24T23:00:00.000Z', machines: 2 },
    { kind: 'job', at: '2026-11-25T20:00:00.000Z', name: 'Restart tonight', job: job.id },
    { kind: 'maintenance', at: '2026-11-26T02:00:00.000Z', targets: [{ name: 'Acme' }, { name: 'PC-1' }] },
  ])
  const own = [{ kind: 'patches', at: '2026-11-25T23:00:00.000Z', machines: 1 }]
  expect((await read(undefined, { client: birch.id })).next).toEqual(own)
  const permissions = ['can_list_agents', 'can_list_agent_history', 'can_manage_winupdates'] as const
  const limited = server.as(await given.user({ permissions, clients: [birch.id] }))
  expect((await read(limited)).next).toEqual(own)
  const others = server.as(await given.user({ permissions: ['can_list_agents'] }))
  expect((await read(others)).next).toMatchObject([{ kind: 'maintenance' }])
})

test('the next time of a repeating job is shown to its user, and to who sees every client', async () => {
  await using fixture = await prepare()
  const { server, given, root, read, birch } = fixture
  await root.call(createRepeatingJob, {
    body: {
      draft: {
        name: 'Nightly',
        target: { by: 'all' },
        action: { type: 'command', shell: 'bash', cmd: 'true' },
      },
      repeat: { cron: '0 22 * * *', clock: 'server' },
    },
  })
  expect((await read()).next).toMatchObject([{ kind: 'job', name: 'Nightly', job: null }])
  expect((await read(undefined, { client: birch.id })).next).toEqual([])
  const permissions = ['can_list_agents', 'can_list_agent_history'] as const
  const limited = server.as(await given.user({ permissions, clients: [birch.id] }))
  expect((await read(limited)).next).toEqual([])
})
