import { listAgents } from '@muster/contract/api/agents'
import { listAudit } from '@muster/contract/api/audit'
import { createRole, deleteRole, editRole, getRole, listRoles } from '@muster/contract/api/roles'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { createTestServer } from '../../../testing/test-server.ts'

async function prepare() {
  const server = await createTestServer()
  const root = await server.given.user({ username: 'root', superuser: true })
  return { server, given: server.given, root: server.as(root), rootId: root.id }
}

test('a superuser adds, changes and deletes roles, with audit rows', async () => {
  const { server, root } = await prepare()
  await using _server = server
  const site = await server.given.site()
  const body = {
    name: ' Help desk ',
    can_list_agents: true,
    can_use_terminal: true,
    require_2fa_for_remote: true,
    can_view_clients: [site.client_id, site.client_id],
    can_view_sites: [site.id],
  }
  const added = (await root.call(createRole, { body })).body
  expect(added).toMatchObject({ ...body, name: 'Help desk', can_view_clients: [site.client_id], is_superuser: false, user_count: 0, users: [] }) // prettier-ignore
  expect(PERMISSIONS.filter((permission) => added[permission])).toEqual([
    'can_list_agents',
    'can_use_terminal',
  ])
  const params = { id: added.id }
  const changes = { can_use_terminal: false, can_view_sites: [], modified: added.modified }
  const changed = (await root.call(editRole, { params, body: changes })).body
  expect(changed).toMatchObject({ can_list_agents: true, can_use_terminal: false, can_view_sites: [] })
  expect((await root.call(editRole, { params, body: changes })).error?.code).toBe('changed_meanwhile')
  expect((await root.call(getRole, { params })).body).toEqual(changed)
  expect((await root.call(deleteRole, { params })).status).toBe(200)
  expect((await root.call(getRole, { params })).status).toBe(404)
  expect((await root.call(deleteRole, { params })).status).toBe(404)
  const { audit_logs } = (await root.call(listAudit, { body: {} })).body
  const roles = audit_logs.filter(({ object_type }) => object_type === 'role')
  expect(roles.map(({ message }) => message)).toEqual([
    'Deleted the role "Help desk"',
    'Changed the role "Help desk"',
    'Added the role "Help desk"',
  ])
  expect(roles[1]).toMatchObject({
    before_value: { permissions: ['can_list_agents', 'can_use_terminal'], can_view_sites: [site.id] },
    after_value: { permissions: ['can_list_agents'], can_view_sites: [] },
  })
})

test('a role in use cannot be deleted, and removed rights apply at once', async () => {
  const { server, given, root } = await prepare()
  await using _server = server
  await given.agent()
  const other = await given.site()
  const ada = await given.user({ username: 'ada', permissions: ['can_list_agents'] })
  const params = { id: ada.roleId ?? 0 }
  expect((await root.call(deleteRole, { params })).error).toMatchObject({
    code: 'conflict',
    detail: expect.stringMatching(/^The role ".+" cannot be deleted: ada has it\.$/),
  })
  const seen = async () => (await server.as(ada).call(listAgents, {})).body
  expect(await seen()).toHaveLength(1)
  await root.call(editRole, { params, body: { can_view_sites: [other.id] } })
  expect(await seen()).toEqual([])
  await root.call(editRole, { params, body: { can_list_agents: false } })
  expect((await server.as(ada).call(listAgents, {})).status).toBe(403)
  const roles = (await root.call(listRoles, {})).body
  expect(roles.find(({ id }) => id === params.id)).toMatchObject({ user_count: 1, users: ['ada'] })
})

test('the last superuser is not locked out by a change of the role', async () => {
  const { server, given, root, rootId } = await prepare()
  await using _server = server
  const boss = await given.user({ username: 'boss' })
  const params = { id: boss.roleId ?? 0 }
  await root.call(editRole, { params, body: { is_superuser: true } })
  const asBoss = server.as(boss)
  // The first one leaves.
  await server.ctx.db.updateTable('users').set({ is_active: 0 }).where('id', '=', rootId).execute()
  const refused = await asBoss.call(editRole, {
    params,
    body: { is_superuser: false, can_list_agents: true },
  })
  expect(refused).toMatchObject({ status: 409, error: { fields: { is_superuser: [expect.any(String)] } } })
  expect((await asBoss.call(getRole, { params })).body).toMatchObject({
    is_superuser: true,
    can_list_agents: false,
  })
  await server.ctx.db.updateTable('users').set({ is_active: 1 }).where('id', '=', rootId).execute()
  expect((await asBoss.call(editRole, { params, body: { is_superuser: false } })).status).toBe(200)
  expect((await asBoss.call(editRole, { params, body: { is_superuser: true } })).status).toBe(403)
})

test('only superusers change roles, whatever other rights a user has', async () => {
  const { server, given, root } = await prepare()
  await using _server = server
  const user = await given.user({ permissions: PERMISSIONS })
  const all = server.as(user)
  const params = { id: user.roleId ?? 0 }
  expect((await all.call(listRoles, {})).status).toBe(200)
  for (const call of [
    all.call(createRole, { body: { name: 'mine', is_superuser: true } }),
    all.call(editRole, { params, body: { is_superuser: true } }),
    all.call(deleteRole, { params }),
  ])
    expect(await call).toMatchObject({ status: 403, error: { code: 'not_allowed' } })
  const nobody = server.as(await given.user({ permissions: ['can_list_agents'] }))
  expect((await nobody.call(listRoles, {})).status).toBe(403)
  expect((await root.call(getRole, { params: { id: 4711 } })).status).toBe(404)
})

test.each([
  [{ name: '' }, 'name'],
  [{ name: 'x'.repeat(256) }, 'name'],
  [{ can_list_agents: true }, 'name'],
  [{ name: 'a', can_list_agents: 'yes' }, 'can_list_agents'],
  [{ name: 'a', can_view_clients: [4711] }, 'can_view_clients'],
  [{ name: 'a', can_view_sites: [0] }, 'can_view_sites.0'],
  [{ name: 'a', can_view_sites: Array.from({ length: 20_000 }, (_, index) => index + 1) }, 'can_view_sites'],
])('a role like %j is refused at its field', async (body, field) => {
  const { server, root } = await prepare()
  await using _server = server
  // Wrong on purpose.
  const { status, error } = await root.call(createRole, { body: body as { name: string } })
  expect(status).toBe(400)
  expect(Object.keys(error.fields ?? {})).toContain(field)
  // The superuser's own.
  expect((await root.call(listRoles, {})).body).toHaveLength(1)
})

test('a name is unique, and a hostile one is stored as text', async () => {
  const { server, root } = await prepare()
  await using _server = server
  const name = '<img src=x onerror=alert(1)>'
  const { body: role } = await root.call(createRole, { body: { name } })
  expect(role.name).toBe(name)
  const again = await root.call(createRole, { body: { name } })
  expect(again).toMatchObject({
    error: { fields: { name: [expect.stringContaining('A role named')] } },
  })
})
