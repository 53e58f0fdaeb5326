import type { Patch, PatchReport } from '@muster/contract/agent/patches'
import { getAgent } from '@muster/contract/api/agents'
import { listAudit } from '@muster/contract/api/audit'
import { cancelHistory } from '@muster/contract/api/runs'
import {
  editPatch,
  getPatchStatus,
  installPatches,
  listPatches,
  scanPatches,
} from '@muster/contract/api/patches'
import { getTimeline } from '@muster/contract/api/timeline'
import type { Permission } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'
import { patchOf } from './test-patches.ts'

const reportOf = (patches: Patch[], problem: string | null = null) =>
  ({
    kind: 'patches',
    found: { hash: String(patches.length).padStart(32, '0'), patches, left_out: 0 },
    problem,
  }) satisfies PatchReport

async function prepare(...more: Permission[]) {
  const server = await createTestServer()
  const { url } = await server.listen()
  const site = await server.given.site()
  const agent = await TestAgent.enrol(server, url, site.id)
  await agent.connect()
  const permissions: Permission[] = [
    'can_manage_winupdates',
    'can_list_agents',
    'can_view_auditlogs',
    ...more,
  ]
  const ada = server.as(await server.given.user({ username: 'ada', permissions }))
  const params = { agent_id: agent.agentId }
  const list = async () => (await ada.call(listPatches, { params })).body
  const status = async () => (await ada.call(getPatchStatus, { params })).body
  return {
    server,
    agent,
    ada,
    params,
    list,
    status,
    pending: async () => (await ada.call(getAgent, { params })).body.has_patches_pending,
    [Symbol.asyncDispose]: async () => {
      agent.cut()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('available patches are listed and counted in the row, and a failed scan keeps the list', async () => {
  await using fixture = await prepare()
  const { agent, list, status, pending } = fixture
  expect(await list()).toEqual([])
  expect(await status()).toEqual({
    looked_at: null,
    changed_at: null,
    problem: null,
    left_out: 0,
    last_install: null,
  })
  const hostile = patchOf('<img src=x onerror=alert(1)>', { title: '<b>\0', security: true })
  agent.report(reportOf([patchOf('libc6'), hostile]))
  await expect.poll(list).toHaveLength(2)
  expect((await list())[0]).toEqual({
    ...patchOf('libc6'),
    by_policy: false,
    id: expect.any(Number),
    action: 'inherit',
    installed: false,
    date_installed: null,
  })
  expect(await pending()).toBe(true)
  agent.report({ kind: 'patches', found: null, problem: 'No answer.' })
  await expect.poll(async () => (await status()).problem).toBe('No answer.')
  expect(await list()).toHaveLength(2)
  agent.report(reportOf([]))
  await expect.poll(list).toEqual([])
  expect(await status()).toMatchObject({ problem: null, looked_at: expect.any(String) })
  expect(await pending()).toBe(false)
})

test('patches are installed by a run with its output, one at a time, with an audit row', async () => {
  await using fixture = await prepare('can_list_agent_history', 'can_send_cmd')
  const { agent, ada, params, list, status } = fixture
  agent.report(reportOf([patchOf('libc6'), patchOf('tzdata')]))
  await expect.poll(list).toHaveLength(2)
  const gone = await ada.call(installPatches, { params, body: { guids: ['libc6', 'bash'] } })
  expect(gone).toMatchObject({ status: 409, error: { code: 'conflict' } })
  for (const guids of [[], ['-o', 'x'], ['a\nb'], Array.from({ length: 2000 }, (_, index) => `p${index}`)])
    expect((await ada.call(installPatches, { params, body: { guids } })).status).toBe(400)
  let from = agent.frames.length
  const { patches, run } = (await ada.call(installPatches, { params, body: { guids: ['libc6'] } })).body
  expect([patches, run]).toMatchObject([
    1,
    { type: 'patch_install', command: 'Install the patch', args: ['libc6'] },
  ])
  const id = run?.id ?? 0
  const { payload } = await agent.nextCommand(from)
  expect(payload).toMatchObject({
    name: 'install-patches',
    author: 'ada',
    input: { guids: ['libc6'], timeout_seconds: 7200 },
  })
  const at = new Date().toISOString()
  const report = { history_id: id, at }
  agent.report({ kind: 'accepted', ...report })
  agent.report({ kind: 'started', ...report })
  await expect.poll(async () => (await status()).last_install?.state).toBe('running')
  expect(await ada.call(installPatches, { params, body: { guids: ['tzdata'] } })).toMatchObject({
    status: 409,
    error: { detail: expect.stringContaining('is already installing something for ada.') },
  })
  expect((await ada.call(cancelHistory, { params: { id } })).error?.detail).toBe(
    'An installation that has started cannot be stopped, because it would be left incomplete.',
  )
  const reason = 'The agent restarted while this ran.'
  const ended = { outcome: 'failed', reason, retcode: null, execution_time: 3, output_cut_bytes: 0 } as const
  agent.report({ kind: 'result', ...report, ...ended })
  await expect.poll(async () => (await status()).last_install).toMatchObject({ state: 'failed', reason })
  from = agent.frames.length
  const all = (await ada.call(installPatches, { params, body: { guids: ['libc6', 'tzdata'] } })).body
  expect(all).toMatchObject({ patches: 2, run: { command: 'Install 2 patches' } })
  expect((await agent.nextCommand(from)).payload.input).toMatchObject({ guids: ['libc6', 'tzdata'] })
  const { audit_logs } = (await ada.call(listAudit, { body: {} })).body
  expect(
    audit_logs.filter(({ object_type }) => object_type === 'winupdate').map(({ message }) => message),
  ).toEqual([
    expect.stringMatching(/^Started to install 2 patches on "/),
    expect.stringMatching(/^Started to install the patch on "/),
  ])
  const now = Math.floor(Date.now() / 1000)
  const range = { params, query: { from: now - 600, to: now + 600 } }
  const { entries } = (await ada.call(getTimeline, range)).body
  expect(entries.filter(({ kind }) => kind === 'run')).toMatchObject([
    { text: 'Install 2 patches', by: 'ada' },
    { text: 'Install the patch', severity: 'error' },
  ])
})

test('a scan runs now on a connected machine, and requires the permission', async () => {
  await using fixture = await prepare()
  const { server, agent, ada, params } = fixture
  const from = agent.frames.length
  const asked = ada.call(scanPatches, { params })
  const { payload } = await agent.nextCommand(from)
  expect(payload.name).toBe('scan-patches')
  agent.send({ type: 'reply', nonce: payload.nonce, refused: null, answer: {} })
  expect((await asked).status).toBe(200)
  agent.report(reportOf([patchOf('libc6')]))
  await expect.poll(async () => (await fixture.list()).length).toBe(1)
  agent.cut()
  await expect.poll(async () => (await ada.call(getAgent, { params })).body.connected).toBe(false)
  const named = { params, body: { guids: ['libc6'] } }
  for (const call of [ada.call(scanPatches, { params }), ada.call(installPatches, named)])
    expect((await call).error?.code).toBe('agent_offline')
  const reader = server.as(await server.given.user({ permissions: ['can_list_agents', 'can_list_software'] }))
  expect((await reader.call(listPatches, { params })).status).toBe(403)
  expect((await reader.call(installPatches, { params, body: {} })).status).toBe(403)
})

test('an installation without a body installs the approved patches, and fails without any', async () => {
  await using fixture = await prepare()
  const { agent, ada, params, list } = fixture
  agent.report(reportOf([patchOf('libc6'), patchOf('tzdata'), patchOf('bash')]))
  await expect.poll(list).toHaveLength(3)
  const sent = agent.frames.length
  expect((await ada.call(installPatches, { params, body: {} })).body).toEqual({ patches: 0, run: null })
  // The server may still acknowledge the report.
  expect(agent.frames.slice(sent).filter(({ type }) => type === 'command')).toEqual([])
  const idOf = async (guid: string) => (await list()).find((one) => one.guid === guid)?.id ?? 0
  const decide = async (guid: string, action: 'approve' | 'ignore' | 'inherit') =>
    ada.call(editPatch, { params: { id: await idOf(guid) }, body: { action } })
  expect((await decide('libc6', 'approve')).body).toMatchObject({ guid: 'libc6', action: 'approve' })
  await decide('tzdata', 'ignore')
  expect((await list()).map(({ guid, action }) => [guid, action])).toEqual([
    ['libc6', 'approve'],
    ['tzdata', 'ignore'],
    ['bash', 'inherit'],
  ])
  const { body } = await ada.call(installPatches, { params, body: {} })
  expect(body).toMatchObject({ patches: 1, run: { command: 'Install the approved patch', args: ['libc6'] } })
  expect((await agent.nextCommand(sent)).payload.input).toMatchObject({ guids: ['libc6'] })
  const { audit_logs } = (await ada.call(listAudit, { body: {} })).body
  expect(audit_logs.slice(0, 3).map(({ message }) => message)).toEqual([
    expect.stringMatching(/^Started to install the approved patch on "/),
    expect.stringMatching(/^Ignored the patch "tzdata" of "/),
    expect.stringMatching(/^Approved the patch "libc6" of "/),
  ])
})

test('a decision survives scans together with the id of the patch, and ends with its version', async () => {
  await using fixture = await prepare()
  const { agent, ada, list } = fixture
  agent.report(reportOf([patchOf('libc6'), patchOf('tzdata')]))
  await expect.poll(list).toHaveLength(2)
  const [libc, tzdata] = await list()
  for (const one of [libc, tzdata])
    await ada.call(editPatch, { params: { id: one?.id ?? 0 }, body: { action: 'approve' } })
  agent.report(reportOf([patchOf('bash'), patchOf('libc6'), patchOf('tzdata', { version: '2.1' })]))
  await expect.poll(list).toHaveLength(3)
  const [bash, sameLibc, newTzdata] = await list()
  expect(sameLibc).toMatchObject({ id: libc?.id, action: 'approve' })
  expect(newTzdata).toMatchObject({ action: 'inherit' })
  expect(new Set([bash?.id, libc?.id, tzdata?.id, newTzdata?.id]).size).toBe(4)
  const gone = await ada.call(editPatch, { params: { id: tzdata?.id ?? 0 }, body: { action: 'approve' } })
  expect(gone.status).toBe(404)
})

test('a machine whose patches are all ignored has none pending', async () => {
  await using fixture = await prepare()
  const { agent, ada, list, pending } = fixture
  agent.report(reportOf([patchOf('libc6')]))
  await expect.poll(list).toHaveLength(1)
  const params = { id: (await list())[0]?.id ?? 0 }
  await ada.call(editPatch, { params, body: { action: 'ignore' } })
  expect(await pending()).toBe(false)
  await ada.call(editPatch, { params, body: { action: 'inherit' } })
  expect(await pending()).toBe(true)
})

test('a patch of a machine of another client cannot be approved or ignored', async () => {
  await using fixture = await prepare()
  const { server, agent, list } = fixture
  agent.report(reportOf([patchOf('libc6')]))
  await expect.poll(list).toHaveLength(1)
  const clients = [(await server.given.client()).id]
  const bob = server.as(await server.given.user({ permissions: ['can_manage_winupdates'], clients }))
  const ids = [(await list())[0]?.id ?? 0, 999_999_000_001, 2_147_483_647_999_999]
  for (const id of ids)
    expect((await bob.call(editPatch, { params: { id }, body: { action: 'approve' } })).status).toBe(404)
  expect(await list()).toMatchObject([{ action: 'inherit' }])
})

test('installed patches follow the pending ones, with their date and without a decision', async () => {
  await using fixture = await prepare()
  const { server, agent, ada, list } = fixture
  const installed_at = '2026-11-20T10:00:00.000Z'
  const kb = {
    guid: '8f6f3b1c-0d4e-4a39-9a63-0a6d2a8d9f10',
    source: 'windows',
    title: '<b>2026-11 Cumulative Update\0 (KB5068861)',
    kb: 'KB5068861',
    version: '',
    severity: '',
    installed_at,
  } as const
  agent.report(reportOf([patchOf('libc6')]))
  agent.report({ kind: 'installed-patches', patches: [kb] })
  await expect.poll(list).toHaveLength(2)
  const [pending, installed] = await list()
  expect(pending).toMatchObject({ guid: 'libc6', installed: false, date_installed: null })
  expect(installed).toMatchObject({
    kb: 'KB5068861',
    installed: true,
    date_installed: installed_at,
    action: 'inherit',
  })
  const params = { id: installed?.id ?? 0 }
  expect((await ada.call(editPatch, { params, body: { action: 'approve' } })).status).toBe(404)
  expect(await fixture.pending()).toBe(true)
  // Once installed, the pending one is gone, and the newest report replaces the list.
  const libc = { ...kb, guid: 'libc6', title: 'libc6', kb: '', installed_at: '2026-11-21T10:00:00.000Z' }
  agent.report(reportOf([]))
  agent.report({ kind: 'installed-patches', patches: [libc, kb] })
  await expect
    .poll(async () => (await list()).map((one) => [one.guid, one.installed]))
    .toEqual([
      ['libc6', true],
      [kb.guid, true],
    ])
  expect(await fixture.pending()).toBe(false)
  const clients = [(await server.given.client()).id]
  const bob = server.as(await server.given.user({ permissions: ['can_manage_winupdates'], clients }))
  expect((await bob.call(listPatches, { params: fixture.params })).status).toBe(404)
})
