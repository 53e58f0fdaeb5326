import { previewRole, type RolePreview } from '@muster/contract/api/roles'
import { NEEDS_ALL_CLIENTS, PERMISSION_RISKS } from '@muster/contract/permission-texts'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { addressIn, bodyIn } from '../../../testing/test-calls.ts'
import { createTestServer } from '../../../testing/test-server.ts'
import { createWorld } from '../../../testing/test-world.ts'

/** Two clients; the first has two sites with one machine each, the second twelve machines at one. */
async function prepare() {
  const server = await createTestServer()
  const { given } = server
  const acme = await given.client({ name: 'Acme' })
  const berlin = await given.site({ client_id: acme.id, name: 'Berlin' })
  const munich = await given.site({ client_id: acme.id, name: 'Munich' })
  await given.agent({ site_id: berlin.id, hostname: '<img src=x>' })
  await given.agent({ site_id: munich.id, hostname: 'munich-pc' })
  const borealis = await given.client({ name: 'Borealis' })
  const oslo = await given.site({ client_id: borealis.id, name: 'Oslo' })
  for (let number = 10; number < 22; number += 1)
    await given.agent({ site_id: oslo.id, hostname: `oslo-${number}` })
  const root = server.as(await given.user({ superuser: true }))
  return { server, given, root, acme, munich, borealis }
}

const namesOf = (rights: readonly { permission: string }[]) => rights.map(({ permission }) => permission)
const canDo = ({ groups }: RolePreview) => groups.flatMap(({ can }) => namesOf(can)).toSorted()
const cannotDo = ({ groups }: RolePreview) => groups.flatMap(({ cannot }) => cannot)

test('a role sees the machines, clients and sites of its scope', async () => {
  const { server, root, acme, munich, borealis } = await prepare()
  await using _server = server
  const may = { can_list_agents: true, can_list_clients: true }
  const seen = async (body: object) => {
    const { machines, clients, sites } = (await root.call(previewRole, { body: { ...may, ...body } })).body
    return { machines, clients, sites }
  }
  expect(await seen({ can_view_clients: [acme.id, acme.id] })).toEqual({
    machines: { total: 2, names: ['<img src=x>', 'munich-pc'], may_list: true },
    clients: { total: 1, names: ['Acme'], may_list: true },
    sites: 2,
  })
  expect(await seen({ can_view_clients: [borealis.id], can_view_sites: [munich.id] })).toEqual({
    machines: { total: 13, names: ['munich-pc', ...Array.from({ length: 9 }, (_, index) => `oslo-${index + 10}`)], may_list: true }, // prettier-ignore
    clients: { total: 2, names: ['Acme', 'Borealis'], may_list: true },
    sites: 2,
  })
  expect(await seen({})).toMatchObject({ machines: { total: 14 }, clients: { total: 2 }, sites: 3 })
  expect(await seen({ can_list_agents: false, can_list_clients: false })).toMatchObject({
    machines: { total: 14, may_list: false },
    clients: { may_list: false },
  })
  expect(
    await seen({ is_superuser: true, can_view_clients: [acme.id], can_list_agents: false }),
  ).toMatchObject({ machines: { total: 14, may_list: true } })
})

test('each permission is in what the role can or cannot do, and dangerous ones are named', async () => {
  const { server, root } = await prepare()
  await using _server = server
  const body = { name: '', can_list_agents: true, can_send_cmd: true, can_manage_scripts: true }
  const preview = (await root.call(previewRole, { body })).body
  expect(canDo(preview)).toEqual(['can_list_agents', 'can_manage_scripts', 'can_send_cmd'])
  expect([...canDo(preview), ...namesOf(cannotDo(preview))].toSorted()).toEqual(PERMISSIONS.toSorted())
  expect(cannotDo(preview).every(({ reason }) => reason === null)).toBe(true)
  expect(preview.risks).toEqual([
    { permission: 'can_send_cmd', label: 'Send commands', text: PERMISSION_RISKS.can_send_cmd },
    { permission: 'can_manage_scripts', label: 'Change scripts', text: PERMISSION_RISKS.can_manage_scripts },
  ])
  const all = (await root.call(previewRole, { body: { is_superuser: true } })).body
  expect(canDo(all)).toEqual(PERMISSIONS.toSorted())
  expect(all.risks).toHaveLength(Object.keys(PERMISSION_RISKS).length)
})

test('a role with some clients cannot use permissions that concern all clients', async () => {
  const { server, root, acme } = await prepare()
  await using _server = server
  const all = Object.fromEntries(PERMISSIONS.map((permission) => [permission, true]))
  const preview = (await root.call(previewRole, { body: { ...all, can_view_clients: [acme.id] } })).body
  const refused = cannotDo(preview)
  expect(namesOf(refused).toSorted()).toEqual(NEEDS_ALL_CLIENTS.toSorted())
  for (const { reason } of refused) expect(reason).toBe('Needs a role that sees all clients.')
  expect(namesOf(preview.risks)).not.toContain('can_manage_scripts')
})

test('permissions that need all clients are refused to a limited role that has them', async () => {
  await using server = await createTestServer()
  const hidden = await createWorld(server, 'Hidden')
  const visible = await createWorld(server, 'Visible')
  const limited = await server.given.user({ permissions: PERMISSIONS, clients: [visible.clientId] })
  const writes = server.app.api.mounted.filter(
    ({ method, access }) => method !== 'GET' && NEEDS_ALL_CLIENTS.some((permission) => permission === access),
  )
  expect(new Set(writes.map(({ access }) => access)).size).toBe(NEEDS_ALL_CLIENTS.length)
  for (const endpoint of writes) {
    const body = bodyIn(hidden, endpoint)
    const { status, error } = await server.as(limited).send({
      method: endpoint.method,
      url: addressIn(hidden, endpoint),
      ...(body !== undefined && {
        payload: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    })
    expect([endpoint.path, status, error.code]).toEqual([endpoint.path, 403, 'not_allowed'])
  }
})

test('restrictions besides permissions are listed as sentences', async () => {
  const { server, root } = await prepare()
  await using _server = server
  const body = { totp_required: true, require_2fa_for_remote: true, approve_jobs_over: 1, approve_job_actions: ['power', 'power'] } as const // prettier-ignore
  const said = async (more: object) =>
    (await root.call(previewRole, { body: { ...body, approve_job_actions: [...body.approve_job_actions], ...more } })).body.conditions // prettier-ignore
  expect(await said({})).toEqual([
    'Two-factor sign-in is required.',
    'Terminal, desktop and registry need a code from the last ten minutes.',
    "Jobs on more than 1 machine need another person's approval.",
    "One kind of job needs another person's approval on any number of machines.",
  ])
  expect(await said({ approve_jobs_over: 0 })).toContain("Every job needs another person's approval.")
  expect((await root.call(previewRole, { body: {} })).body.conditions).toEqual([])
})

test('a preview saves nothing and is for those who may change roles', async () => {
  const { server, given, root } = await prepare()
  await using _server = server
  const before = await server.ctx.db.selectFrom('roles').selectAll().execute()
  await root.call(previewRole, { body: { name: 'Draft', can_list_agents: true } })
  expect(await server.ctx.db.selectFrom('roles').selectAll().execute()).toEqual(before)
  expect(await server.ctx.db.selectFrom('audit_log').selectAll().execute()).toEqual([])
  for (const permissions of [[], ['can_list_accounts'], PERMISSIONS] as const) {
    const { status, text } = await server
      .as(await given.user({ permissions }))
      .call(previewRole, { body: { is_superuser: true } })
    expect([status, text]).toEqual([403, expect.not.stringContaining('munich-pc')])
  }
})

test.each([
  ['can_view_clients', { can_view_clients: [4711] }],
  ['can_view_sites', { can_view_sites: [4711] }],
  ['can_view_sites.0', { can_view_sites: [0] }],
  ['can_view_clients.0', { can_view_clients: ["1' or '1'='1"] }],
  ['can_view_clients', { can_view_clients: Array.from({ length: 10_001 }, (_, index) => index + 1) }],
  ['name', { name: 'x'.repeat(256) }],
  ['can_list_agents', { can_list_agents: 'yes' }],
  ['approve_job_actions.0', { approve_job_actions: ['rm -rf'] }],
])('an unsaved role is refused at its wrong field %s', async (field, body) => {
  const { server, root } = await prepare()
  await using _server = server
  // Wrong on purpose.
  const { status, error } = await root.call(previewRole, { body: body as object })
  expect(status).toBe(400)
  expect(Object.keys(error.fields ?? {})).toContain(field)
})

test('unknown fields, and what is no role, are refused', async () => {
  const { server, root } = await prepare()
  await using _server = server
  for (const payload of [
    '{"can_do_all":true}',
    '[]',
    '"x"',
    '{"name":',
    '{"__proto__":{"is_superuser":true}}',
  ]) {
    const headers = { 'content-type': 'application/json' }
    const answer = await root.send({ method: 'POST', url: '/accounts/roles/preview/', payload, headers })
    expect([payload, answer.status]).toEqual([payload, 400])
  }
})
