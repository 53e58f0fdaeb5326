import type { InstalledPackage } from '@muster/contract/agent/software'
import { listAudit } from '@muster/contract/api/audit'
import {
  findSoftware,
  getSoftware,
  listChocolateyNames,
  listSoftwareMachines,
  refreshSoftware,
  uninstallSoftware,
} from '@muster/contract/api/software'
import { getTimeline } from '@muster/contract/api/timeline'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'
import { findUnfitMachines } from './find-unfit-machines.ts'
import { MAX_SINGLE_LINES, storeSoftware } from './store-software.ts'
import { known, reportOf } from './test-software.ts'

const NOW = '2026-11-21T12:00:00.000Z'

async function prepare() {
  const server = await createTestServer()
  server.clock.freeze(NOW)
  const { ctx, given } = server
  const root = server.as(await given.user({ username: 'ada', superuser: true }))
  const { agent_id } = await given.agent({ hostname: 'PC-12' })
  const report = (packages: InstalledPackage[], agentId = agent_id, leftOut = 0) =>
    ctx.transaction((tx, emit) =>
      storeSoftware(tx, emit, {
        reports: [{ agentId, report: reportOf(packages, leftOut) }],
        now: ctx.now(),
      }),
    )
  const list = async (agentId = agent_id) =>
    (await root.call(getSoftware, { params: { agent_id: agentId } })).body
  const names = async () => (await list()).software.map(({ name, version }) => `${name} ${version}`)
  const changes = async () => {
    const at = Date.parse(NOW) / 1000
    const range = { params: { agent_id }, query: { from: at - 10, to: at + 10 } }
    return (await root.call(getTimeline, range)).body.entries.map(({ kind, text }) => `${kind}: ${text}`)
  }
  return {
    server,
    ctx,
    given,
    root,
    report,
    list,
    names,
    changes,
    agentId: agent_id,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('installed software is listed by name, with all reported details', async () => {
  await using fixture = await prepare()
  const { report, list } = fixture
  expect(await list()).toEqual({
    software: [],
    looked_at: null,
    changed_at: null,
    left_out: 0,
    upgrades_problem: null,
  })
  const zip = known('7-Zip', '24.08', {
    publisher: 'Igor Pavlov',
    source: 'windows',
    size: 5_000_000_000,
    install_date: '2026-10-21',
    uninstall: '"C:\\7z\\Uninstall.exe"',
  })
  await report([known('vim', '9.0'), zip, known('kernel', '6.1'), known('kernel', '6.2')], undefined, 3)
  const { software, ...rest } = await list()
  expect(rest).toEqual({ looked_at: NOW, changed_at: NOW, left_out: 3, upgrades_problem: null })
  expect(software.map(({ name, version }) => `${name} ${version}`)).toEqual([
    '7-Zip 24.08',
    'kernel 6.1',
    'kernel 6.2',
    'vim 9.0',
  ])
  expect(software[0]).toMatchObject(zip)
})

test('a package whose installation was interrupted stays in the list, with its state', async () => {
  await using fixture = await prepare()
  const { report, list, changes } = fixture
  await report([known('postfix', '3.7'), known('vim', '9.0')])
  await report([known('postfix', '3.7', { states: ['half-configured', 'held'] }), known('vim', '9.0')])
  const [postfix, vim] = (await list()).software
  expect(postfix).toMatchObject({ name: 'postfix', states: ['half-configured', 'held'] })
  expect(vim).toMatchObject({ name: 'vim', states: [] })
  await report([known('postfix', '3.7'), known('vim', '9.0')])
  expect((await list()).software[0]).toMatchObject({ states: [] })
  expect(await changes()).toEqual([])
})

test('installed, updated and removed software is shown on the timeline', async () => {
  await using fixture = await prepare()
  const { report, changes, names } = fixture
  await report([known('nginx', '1.22'), known('kernel', '6.1'), known('nano', '7.2')])
  expect(await changes()).toEqual([])
  await report([
    known('nginx', '1.24', { publisher: 'Another publisher' }),
    known('kernel', '6.1'),
    known('kernel', '6.2'),
    known('htop<b>\0', '3.2'),
  ])
  expect(await names()).toEqual(['htop<b>\uFFFD 3.2', 'kernel 6.1', 'kernel 6.2', 'nginx 1.24'])
  expect((await changes()).toSorted()).toEqual([
    'system: Software: installed htop<b>\uFFFD 3.2',
    'system: Software: installed kernel 6.2',
    'system: Software: removed nano 7.2',
    'system: Software: updated nginx 1.22 → 1.24',
  ])
})

test('an upgrade of hundreds of packages is some lines and a total, and an unchanged scan is none', async () => {
  await using fixture = await prepare()
  const { report, changes, list, server } = fixture
  const all = (version: string, from = 0) =>
    Array.from({ length: 400 }, (_, index) =>
      known(`p${index + from}`, version, { install_date: '2026-01-01' }),
    )
  await report(all('1'))
  await report(all('2', 10))
  const lines = await changes()
  expect(lines).toHaveLength(MAX_SINGLE_LINES + 1)
  expect(lines).toContain('system: Software: and 385 updated')
  server.clock.freeze('2026-11-21T12:00:05.000Z')
  await report(all('2', 10))
  expect(await list()).toMatchObject({ looked_at: '2026-11-21T12:00:05.000Z', changed_at: NOW })
  await report(all('2', 10).map((one) => ({ ...one, install_date: '2026-02-02' })))
  expect((await list()).software[0]).toMatchObject({ install_date: '2026-02-02' })
  expect(await changes()).toHaveLength(MAX_SINGLE_LINES + 1)
})

test('a search over the fleet returns machines and versions within the scope', async () => {
  await using fixture = await prepare()
  const { server, given, root, report } = fixture
  const site = await given.site()
  const other = await given.agent({ hostname: 'web-1', site_id: site.id })
  const zip = (version: string, publisher: string) =>
    known('7-Zip', version, { publisher, source: 'windows' })
  await report([known('openssl', '3.0.1'), known('libssl_x', '3%'), zip('24', 'Igor Pavlov')])
  await report([known('openssl', '3.0.2'), zip('1', 'Evil Ltd')], other.agent_id)
  const find = async (query: object, client = root) => (await client.call(findSoftware, { query })).body
  expect(await find({ search: 'SSL OPEN' })).toMatchObject({
    total: 1,
    results: [
      {
        name: 'openssl',
        machines: 2,
        versions: [
          { version: '3.0.2', machines: 1 },
          { version: '3.0.1', machines: 1 },
        ],
      },
    ],
  })
  const namesOf = async (query: object) => (await find(query)).results.map(({ name }) => name)
  expect(await namesOf({})).toEqual(['7-Zip', '7-Zip', 'libssl_x', 'openssl'])
  expect(await namesOf({ sort: '-name', page: 2, page_size: 3 })).toEqual(['7-Zip'])
  expect(await namesOf({ search: 'l_x' })).toEqual(['libssl_x'])
  expect(await namesOf({ search: '%' })).toEqual([])
  expect(await namesOf({ search: 'igor', source: 'windows' })).toEqual(['7-Zip'])
  const [openssl] = (await find({ search: 'openssl' })).results
  const params = { title: openssl?.title ?? '' }
  const machines = (await root.call(listSoftwareMachines, { params })).body
  expect(machines.map(({ hostname, version }) => [hostname, version])).toEqual([
    ['PC-12', '3.0.1'],
    ['web-1', '3.0.2'],
  ])
  const user = await given.user({ permissions: ['can_list_software'], clients: [site.client_id] })
  const local = server.as(user)
  expect(await find({}, local)).toMatchObject({
    total: 2,
    results: [
      { name: '7-Zip', publisher: 'Evil Ltd' },
      { name: 'openssl', machines: 1, versions: [{ version: '3.0.2' }] },
    ],
  })
  expect((await local.call(listSoftwareMachines, { params })).body).toHaveLength(1)
  await server.ctx.db.deleteFrom('agents').where('agent_id', '=', other.agent_id).execute()
  expect((await local.call(listSoftwareMachines, { params })).body).toEqual([])
})

test('versions without machines are deleted at night', async () => {
  await using fixture = await prepare()
  const { server, ctx, report } = fixture
  await report([known('a', '1'), known('b', '1')])
  await ctx.jobs.drain()
  await report([known('b', '2')])
  server.clock.freeze('2026-11-22T14:00:00.000Z')
  await ctx.jobs.drain()
  const left = await ctx.db.selectFrom('software_packages').select(['name', 'version']).execute()
  expect(left).toEqual([{ name: 'b', version: '2' }])
  const kept = await ctx.db.selectFrom('machine_software').selectAll().execute()
  expect(kept).toHaveLength(1)
})

test('a machine with another hash is asked for its list, and a refresh waits for it with an audit row', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const site = await server.given.site()
  const agent = await TestAgent.enrol(server, url, site.id)
  using _cut = { [Symbol.dispose]: () => agent.cut() }
  await agent.connect()
  const permissions = ['can_list_software', 'can_manage_software', 'can_view_auditlogs'] as const
  const ada = server.as(await server.given.user({ username: 'ada', permissions }))
  const params = { agent_id: agent.agentId }
  const first = reportOf([known('vim', '9.0')])
  let from = agent.frames.length
  agent.report({ ...first, inventory: null })
  const asked = (await agent.nextCommand(from)).payload
  expect(asked).toMatchObject({ name: 'report-software', author: 'server' })
  agent.report(first)
  from = agent.frames.length
  const refreshed = ada.call(refreshSoftware, { params })
  const { payload } = await agent.nextCommand(from)
  expect(payload).toMatchObject({ name: 'report-software', author: 'ada' })
  // An older list in transit.
  agent.report(reportOf([known('vim', '9.0.1')]))
  const stored = server.ctx.db.selectFrom('software_packages').select('version')
  await expect.poll(() => stored.execute()).toContainEqual({ version: '9.0.1' })
  const second = reportOf([known('vim', '9.1')])
  agent.report(second)
  const answer = { hash: second.hash, count: 1 }
  agent.send({ type: 'reply', nonce: payload.nonce, refused: null, answer })
  expect((await refreshed).body.software).toMatchObject([{ name: 'vim', version: '9.1' }])
  from = agent.frames.length
  const failing = ada.call(refreshSoftware, { params })
  const { nonce } = (await agent.nextCommand(from)).payload
  agent.send({ type: 'reply', nonce, refused: 'There is neither dpkg nor rpm.', answer: null })
  expect((await failing).error).toMatchObject({ detail: 'PC-12: There is neither dpkg nor rpm.' })
  agent.cut()
  const { audit_logs } = (await ada.call(listAudit, { body: {} })).body
  expect(
    audit_logs.filter(({ object_type }) => object_type === 'software').map(({ message }) => message),
  ).toEqual(['Failed to refresh the list of software', 'Refreshed the list of software'])
})

test('the permission to list software does not allow refreshing it', async () => {
  await using fixture = await prepare()
  const { server, given, agentId } = fixture
  const reader = server.as(await given.user({ permissions: ['can_list_software'] }))
  const call = { params: { agent_id: agentId } }
  expect((await reader.call(refreshSoftware, call)).status).toBe(403)
  const nobody = server.as(await given.user({ permissions: ['can_list_agents'] }))
  expect((await nobody.call(getSoftware, call)).status).toBe(403)
  expect((await nobody.call(findSoftware, { query: {} })).status).toBe(403)
})

test('newer versions are listed for a machine and counted over the fleet', async () => {
  await using fixture = await prepare()
  const { server, ctx, given, root, list, agentId, changes } = fixture
  const other = await given.agent({ hostname: 'web-1' })
  const store = (id: string, packages: InstalledPackage[], more = {}) =>
    ctx.transaction((tx, emit) =>
      storeSoftware(tx, emit, {
        reports: [{ agentId: id, report: reportOf(packages, 0, more) }],
        now: ctx.now(),
      }),
    )
  const firefox = known('Mozilla Firefox', '132', { source: 'windows', package_id: 'Mozilla.Firefox' })
  await store(agentId, [known('openssl', '3.0.1'), firefox])
  await store(agentId, [known('openssl', '3.0.1', { available: '3.0.2' }), firefox], {
    managers: ['apt'],
    upgrades_problem: 'winget did not list newer versions within 25 seconds.',
  })
  await store(other.agent_id, [known('openssl', '3.0.1')], { managers: [] })
  expect(await list()).toMatchObject({
    upgrades_problem: 'winget did not list newer versions within 25 seconds.',
    software: [
      { name: 'Mozilla Firefox', available: null, package_name: 'Mozilla.Firefox' },
      { name: 'openssl', available: '3.0.2', package_name: 'openssl' },
    ],
  })
  // A newer version is no change of the machine.
  expect(await changes()).toEqual([])
  const find = async (query: object) => (await root.call(findSoftware, { query })).body
  expect(await find({ search: 'openssl' })).toMatchObject({ results: [{ machines: 2, upgradable: 1 }] })
  const { results } = await find({ upgradable: 'true' })
  expect(results.map(({ name }) => name)).toEqual(['openssl'])
  const params = { title: results[0]?.title ?? '' }
  expect((await root.call(listSoftwareMachines, { params })).body).toMatchObject([
    { hostname: 'PC-12', available: '3.0.2', package_name: 'openssl' },
    { hostname: 'web-1', available: null, package_name: 'openssl' },
  ])
  const ids = [agentId, other.agent_id]
  const unfit = (change: 'install' | 'remove', ...wanted: string[]) =>
    findUnfitMachines(server.ctx.db, { change, names: wanted }, ids)
  expect(await unfit('install', 'vim')).toEqual(
    new Map([[other.agent_id, 'The machine has no package manager that the agent supports.']]),
  )
  const missing = 'The machine does not have the package vim or vi.'
  expect((await unfit('remove', 'vim', 'vi')).get(agentId)).toBe(missing)
  expect((await unfit('remove', 'Mozilla.Firefox')).has(agentId)).toBe(false)
})

test('a program is removed by its reported command; another command needs the right to send commands', async () => {
  await using fixture = await prepare()
  const { server, ctx, given } = fixture
  const pc = await given.agent({ hostname: 'PC-9', plat: 'windows', connected: 1 })
  const zip = known('7-Zip', '24', { source: 'windows', uninstall: 'MsiExec.exe /I{23170F69}' })
  await fixture.report([zip, known('Paint', '1', { source: 'windows' })], pc.agent_id)
  const ada = server.as(await given.user({ permissions: ['can_manage_software'] }))
  const bob = server.as(await given.user({ permissions: ['can_manage_software', 'can_send_cmd'] }))
  const params = { agent_id: pc.agent_id }
  const body = { name: '7-Zip', command: 'MsiExec.exe /X{23170F69} /qn /norestart' }
  expect((await ada.call(uninstallSoftware, { params, body })).body).toMatchObject({
    command: body.command,
    timeout: 1800,
  })
  const other = { ...body, command: 'whoami' }
  expect((await ada.call(uninstallSoftware, { params, body: other })).error.code).toBe('not_allowed')
  expect((await bob.call(uninstallSoftware, { params, body: other })).status).toBe(200)
  const unknown = { ...body, name: 'Paint' }
  expect((await bob.call(uninstallSoftware, { params, body: unknown })).error.code).toBe('conflict')
  const runs = await ctx.db.selectFrom('agent_history').select(['command', 'shell']).execute()
  expect(runs.map(({ command, shell }) => `${shell} ${command}`)).toEqual([
    `cmd ${body.command}`,
    'cmd whoami',
  ])
})

test('names of Chocolatey packages are those that visible machines have, once each', async () => {
  await using fixture = await prepare()
  const { server, given, root, report } = fixture
  const names = async (caller = root) => (await caller.call(listChocolateyNames, { query: {} })).body
  expect(await names()).toEqual([])
  const choco = (name: string, version: string) => ({
    ...known(name, version),
    source: 'chocolatey' as const,
  })
  const client = await given.client()
  const other = await given.agent({ site_id: (await given.site({ client_id: client.id })).id })
  await report([choco('vlc', '3.0.20'), choco('7zip', '24.8.0'), known('Firefox', '1')])
  await report([choco('vlc', '3.0.21')], other.agent_id)
  expect(await names()).toEqual([{ name: '7zip' }, { name: 'vlc' }])
  const permissions = ['can_list_software' as const]
  const bob = server.as(await given.user({ permissions, clients: [client.id] }))
  expect(await names(bob)).toEqual([{ name: 'vlc' }])
  const nobody = server.as(await given.user({ permissions: ['can_list_agents'] }))
  expect((await nobody.call(listChocolateyNames, { query: {} })).status).toBe(403)
})
