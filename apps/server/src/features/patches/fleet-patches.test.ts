import type { Patch } from '@muster/contract/agent/patches'
import { listAudit } from '@muster/contract/api/audit'
import {
  decidePatches,
  findPatches,
  getPatchSummary,
  listPatches,
  listPatchFailures,
  listPatchMachines,
} from '@muster/contract/api/patches'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { deleteUnusedPatches, recordPatchDay } from './fleet-patches.ts'
import { storePatches } from './store-patches.ts'
import { patchOf } from './test-patches.ts'

const NOW = '2026-11-21T12:00:00.000Z'

const openssl = patchOf('openssl', { severity: 'Critical', security: true, needs_reboot: true })

/** Two clients: PC-1 and PC-2 of Acme, SRV-1 of Birch. */
async function prepare() {
  const server = await createTestServer()
  server.clock.freeze(NOW)
  const { ctx, given } = server
  const root = server.as(await given.user({ username: 'ada', superuser: true }))
  const [acme, birch] = [await given.client({ name: 'Acme' }), await given.client({ name: 'Birch' })]
  const [north, south] = [
    await given.site({ client_id: acme.id, name: 'North' }),
    await given.site({ client_id: birch.id, name: 'South' }),
  ]
  const [pc1, pc2, srv] = [
    await given.agent({ hostname: 'PC-1', site_id: north.id }),
    await given.agent({ hostname: 'PC-2', site_id: north.id }),
    await given.agent({ hostname: 'SRV-1', site_id: south.id }),
  ]
  const report = ({ agent_id: agentId }: { agent_id: string }, patches: Patch[] | string) => {
    const found =
      typeof patches === 'string'
        ? null
        : { hash: JSON.stringify(patches).length.toString(16).padStart(32, '0'), patches, left_out: 0 }
    const problem = typeof patches === 'string' ? patches : null
    const reports = [{ agentId, report: { kind: 'patches' as const, found, problem } }]
    return ctx.transaction((tx, emit) => storePatches(tx, emit, { reports, now: ctx.now() }))
  }
  const limited = async (client: number) =>
    server.as(await given.user({ permissions: ['can_manage_winupdates'], clients: [client] }))
  const find = async (query: Parameters<typeof root.call<typeof findPatches>>[1]['query'] = {}, as = root) =>
    (await as.call(findPatches, { query })).body
  return {
    server,
    ctx,
    root,
    acme,
    birch,
    pc1,
    pc2,
    srv,
    report,
    limited,
    find,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('patches of all machines are counted by version, the most severe first', async () => {
  await using fixture = await prepare()
  const { pc1, pc2, srv, report, find, root, birch } = fixture
  await report(pc1, [openssl, patchOf('tzdata')])
  await report(pc2, [patchOf('tzdata'), patchOf('bash', { security: true })])
  await report(srv, [openssl, patchOf('tzdata', { version: '3.0' })])
  const { total, results } = await find()
  expect(total).toBe(4)
  expect(results.map(({ title, version, machines }) => [title, version, machines])).toEqual([
    ['openssl', '2.0', 2],
    ['bash', '2.0', 1],
    ['tzdata', '2.0', 2],
    ['tzdata', '3.0', 1],
  ])
  expect(results[0]).toMatchObject({ first_seen: NOW, needs_reboot: true, security: true, approved: 0 })
  expect((await find({ search: 'TZ data' })).total).toBe(2)
  expect((await find({ severity: 'Critical' })).results.map(({ title }) => title)).toEqual(['openssl'])
  expect((await find({ sort: '-machines', page_size: 1, page: 2 })).results).toMatchObject([
    { title: 'tzdata', machines: 2 },
  ])
  expect((await find({ client: birch.id })).total).toBe(2)
  const [first] = results
  const machines = await root.call(listPatchMachines, { params: { patch: first?.patch ?? '' }, query: {} })
  expect(machines.body).toMatchObject([
    { hostname: 'PC-1', client: 'Acme', action: 'inherit', current_version: '1.0', looked_at: NOW },
    { hostname: 'SRV-1', client: 'Birch' },
  ])
  await report(pc1, [])
  expect((await find({ search: 'openssl' })).results).toMatchObject([{ machines: 1 }])
})

test('a decision applies to all machines that can install the patch, with an audit row per client', async () => {
  await using fixture = await prepare()
  const { pc1, pc2, srv, report, find, root } = fixture
  for (const machine of [pc1, pc2, srv]) await report(machine, [openssl, patchOf('tzdata')])
  const [{ patch: id } = { patch: '' }] = (await find()).results
  const decide = async (action: 'approve' | 'ignore' | 'inherit', agents?: string[]) =>
    (await root.call(decidePatches, { body: { patches: [id], action, ...(agents && { agents }) } })).body
  expect(await decide('approve')).toEqual({ machines: 3 })
  expect(await decide('approve')).toEqual({ machines: 0 })
  expect(await decide('ignore', [srv.agent_id])).toEqual({ machines: 1 })
  expect((await find({ search: 'openssl' })).results).toMatchObject([{ approved: 2, ignored: 1 }])
  expect((await find({ decision: 'ignored' })).results.map(({ title }) => title)).toEqual(['openssl'])
  const own = await root.call(listPatches, { params: { agent_id: srv.agent_id } })
  expect(own.body.map(({ guid, action }) => [guid, action])).toEqual([
    ['openssl', 'ignore'],
    ['tzdata', 'inherit'],
  ])
  // A later scan keeps the decisions.
  await report(pc1, [openssl])
  expect((await find({ search: 'openssl' })).results).toMatchObject([{ machines: 3, approved: 2 }])
  const { audit_logs } = (await root.call(listAudit, { body: {} })).body
  expect(audit_logs.map(({ message }) => message).slice(0, 3)).toEqual([
    'Ignored the patch "openssl" on "SRV-1"',
    'Approved the patch "openssl" on "SRV-1"',
    'Approved the patch "openssl" on 2 machines',
  ])
  expect(
    await root.call(decidePatches, { body: { patches: ['f'.repeat(32)], action: 'ignore' } }),
  ).toMatchObject({
    status: 404,
    error: { detail: 'No machine can install this patch any more. Reload the list.' },
  })
})

test('a user of one client sees and decides about its machines only', async () => {
  await using fixture = await prepare()
  const { acme, birch, pc1, srv, report, find, limited, root } = fixture
  await report(pc1, [openssl])
  await report(srv, [openssl, patchOf('secret-tool')])
  const bob = await limited(acme.id)
  const { total, results } = await find({}, bob)
  expect([total, results[0]?.machines]).toEqual([1, 1])
  expect((await find({ client: birch.id }, bob)).total).toBe(0)
  const id = results[0]?.patch ?? ''
  const agents = [pc1.agent_id, srv.agent_id]
  expect((await bob.call(decidePatches, { body: { patches: [id], action: 'ignore', agents } })).body).toEqual(
    {
      machines: 1,
    },
  )
  const other = (await find({ search: 'secret' })).results[0]?.patch ?? ''
  expect((await bob.call(decidePatches, { body: { patches: [other], action: 'ignore' } })).status).toBe(404)
  expect((await bob.call(listPatchMachines, { params: { patch: other }, query: {} })).body).toEqual([])
  expect((await bob.call(getPatchSummary, { query: {} })).body).toMatchObject({ machines: 2, scanned: 1 })
  expect((await root.call(listPatches, { params: { agent_id: srv.agent_id } })).body).toMatchObject([
    { guid: 'openssl', action: 'inherit' },
    { guid: 'secret-tool' },
  ])
  const reader = fixture.server.as(await fixture.server.given.user({ permissions: ['can_list_agents'] }))
  expect((await reader.call(findPatches, { query: {} })).status).toBe(403)
})

test('compliance is counted now and recorded for each day', async () => {
  await using fixture = await prepare()
  const { server, ctx, pc1, pc2, srv, report, acme } = fixture
  await report(pc1, [openssl])
  await report(srv, [])
  await report(pc2, 'apt-get failed.')
  await recordPatchDay(ctx.db, ctx.now())
  const summary = async (query: { client?: number } = {}) =>
    // A day later the session is a new one.
    (await server.as(await server.given.user({ superuser: true })).call(getPatchSummary, { query })).body
  expect(await summary()).toEqual({
    machines: 3,
    scanned: 2,
    up_to_date: 1,
    failed_scans: 1,
    severities: [{ severity: 'Critical', security: true, patches: 1, machines: 1 }],
    days: [{ day: '2026-11-21', scanned: 2, up_to_date: 1 }],
  })
  server.clock.freeze('2026-11-22T12:00:00.000Z')
  await report(pc1, [])
  await recordPatchDay(ctx.db, ctx.now())
  expect(await summary({ client: acme.id })).toMatchObject({
    up_to_date: 1,
    severities: [],
    days: [
      { day: '2026-11-21', scanned: 1, up_to_date: 0 },
      { day: '2026-11-22', scanned: 1, up_to_date: 1 },
    ],
  })
  const versions = () => ctx.db.selectFrom('patch_versions').select('guid').execute()
  expect(await versions()).toHaveLength(1)
  server.clock.freeze('2027-03-01T12:00:00.000Z')
  await deleteUnusedPatches(ctx.db, ctx.now())
  expect(await versions()).toEqual([])
  expect((await summary()).days).toEqual([])
})

test('failed scans and installations are listed with their reasons', async () => {
  await using fixture = await prepare()
  const { ctx, pc1, srv, report, root } = fixture
  await report(srv, 'Another program holds the lock.')
  const insert = (state: 'failed' | 'done', reason: string | null) =>
    ctx.db
      .insertInto('agent_history')
      .values({
        agent_id: pc1.agent_id,
        time: NOW,
        type: 'patch_install',
        state,
        reason,
        command: 'Install the patch',
        script_id: null,
        script_name: null,
        shell: '',
        args: '[]',
        username: 'ada',
        run_as_user: null,
        timeout_seconds: 60,
        expires_at: NOW,
        command_name: 'install-patches',
        command_input: '',
        nonce: `${state}${reason}`,
        save_as_note: 0,
        sent_at: NOW,
        started_at: NOW,
        finished_at: NOW,
        retcode: state === 'failed' ? 100 : 0,
        execution_time: 1,
      })
      .execute()
  await insert('failed', null)
  const failures = async () => (await root.call(listPatchFailures, { query: {} })).body
  expect(await failures()).toMatchObject([
    { hostname: 'SRV-1', kind: 'scan', reason: 'Another program holds the lock.', run: null },
    { hostname: 'PC-1', kind: 'install', reason: 'The installation ended with exit code 100.' },
  ])
  await insert('done', null)
  expect(await failures()).toMatchObject([{ kind: 'scan' }])
})
