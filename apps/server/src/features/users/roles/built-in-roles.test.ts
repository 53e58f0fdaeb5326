import { createUser } from '@muster/contract/api/accounts'
import { createApiKey } from '@muster/contract/api/api-keys'
import { listAudit } from '@muster/contract/api/audit'
import { createInvitation } from '@muster/contract/api/invitations'
import { createRole, deleteRole, editRole, listRoles, type Role } from '@muster/contract/api/roles'
import { getMe } from '@muster/contract/api/users'
import { BUILT_IN_ROLES, type BuiltInRole, permissionsOfBuiltIn } from '@muster/contract/built-in-roles'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { createTestServer } from '../../../testing/test-server.ts'
import { keepBuiltInRoles } from './keep-built-in-roles.ts'

async function prepare() {
  const server = await createTestServer()
  const boss = await server.given.user({ username: 'root', superuser: true })
  const root = server.as(boss)
  const roles = async () => (await root.call(listRoles, {})).body
  const builtIn = async (role: BuiltInRole) =>
    (await roles()).find(({ built_in }) => built_in === role) as Role
  return { server, boss, root, roles, builtIn, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

const permissionsOf = (role: Role) => PERMISSIONS.filter((permission) => role[permission])

test('every start adds the missing built-in roles once, and a role with the same name keeps it', async () => {
  await using bench = await prepare()
  const { server, root, roles, builtIn } = bench
  await root.call(createRole, { body: { name: 'technician', can_list_agents: true } })
  await root.call(createRole, { body: { name: 'Administrator (built in)' } })
  await root.call(createRole, { body: { name: 'Administrator' } })
  await Promise.all([keepBuiltInRoles(server.ctx), keepBuiltInRoles(server.ctx)])
  await keepBuiltInRoles(server.ctx)
  const listed = await roles()
  const names = listed.filter(({ built_in }) => built_in !== null).map(({ name }) => name)
  expect(names.toSorted()).toEqual([
    'Administrator (built in 2)',
    'Client admin',
    'Read only',
    'Technician (built in)',
  ])
  const own = listed.find(({ name }) => name === 'technician')
  expect([own?.built_in, own && permissionsOf(own)]).toEqual([null, ['can_list_agents']])
  expect(await builtIn('administrator')).toMatchObject({ is_superuser: true, can_view_clients: [] })
})

test('each role has the rights of those before it, and the administrator has all', () => {
  const sets = BUILT_IN_ROLES.map((role) => new Set(permissionsOfBuiltIn(role)))
  for (const [index, set] of sets.entries())
    if (index > 0) expect(set.isSupersetOf(sets[index - 1] ?? new Set())).toBe(true)
  expect(permissionsOfBuiltIn('administrator')).toEqual(PERMISSIONS)
  expect(permissionsOfBuiltIn('read_only').filter((name) => !/^can_(list|view)_/.test(name))).toEqual([])
  for (const name of ['can_manage_accounts', 'can_manage_scripts', 'can_manage_automation_policies'] as const)
    expect(permissionsOfBuiltIn('client_admin')).not.toContain(name)
})

test('an update of the server updates the rights, with an audit row', async () => {
  await using bench = await prepare()
  const { server, root, builtIn } = bench
  await keepBuiltInRoles(server.ctx)
  const before = await builtIn('technician')
  await server.ctx.db
    .updateTable('roles')
    .set({ permissions: '["can_list_agents","can_of_the_past"]' })
    .where('built_in', 'is not', null)
    .execute()
  await keepBuiltInRoles(server.ctx)
  expect(await builtIn('technician')).toEqual(before)
  expect(permissionsOf(await builtIn('administrator'))).toEqual(PERMISSIONS)
  const { audit_logs } = (await root.call(listAudit, { body: { objectFilter: ['role'] } })).body
  expect(audit_logs).toHaveLength(BUILT_IN_ROLES.length)
  expect(audit_logs.map(({ message }) => message)).toContain('Updated the built-in role "Technician"')
})

test('a built-in role cannot be changed or deleted, and its copy can', async () => {
  await using bench = await prepare()
  const { server, root, builtIn } = bench
  await keepBuiltInRoles(server.ctx)
  const role = await builtIn('technician')
  const params = { id: role.id }
  for (const [call, verb] of [
    [root.call(editRole, { params, body: { can_list_agents: false } }), 'changed'],
    [root.call(editRole, { params, body: { name: 'Mine' } }), 'changed'],
    [root.call(deleteRole, { params }), 'deleted'],
  ] as const)
    expect(await call).toMatchObject({
      status: 409,
      error: { detail: `The role "Technician" is built in and cannot be ${verb}. Copy it to get a role that you can change.` }, // prettier-ignore
    })
  expect(await builtIn('technician')).toEqual(role)
  const body = { name: 'Help desk', copy_of: role.id, can_use_terminal: false }
  const { body: copy } = await root.call(createRole, { body })
  expect(permissionsOf(copy)).toEqual(permissionsOf(role).filter((name) => name !== 'can_use_terminal'))
  expect(copy.built_in).toBeNull()
  expect((await root.call(editRole, { params: { id: copy.id }, body: { name: 'Desk' } })).status).toBe(200)
  expect((await root.call(deleteRole, { params: { id: copy.id } })).status).toBe(200)
  expect((await root.call(createRole, { body: { name: 'Lost', copy_of: 4711 } })).status).toBe(404)
})

test('a user with a built-in role has its rights', async () => {
  await using bench = await prepare()
  const { server, root, builtIn } = bench
  await keepBuiltInRoles(server.ctx)
  const { id } = await builtIn('read_only')
  const eve = await server.given.user({ username: 'eve' })
  await server.ctx.db.updateTable('users').set({ role_id: id }).where('id', '=', eve.id).execute()
  const { body: me } = await server.as(eve).call(getMe, {})
  expect(me).toMatchObject({ is_superuser: false, permissions: permissionsOfBuiltIn('read_only') })
  expect((await root.call(createInvitation, { body: { role: id, email: '' } })).status).toBe(200)
})

test('the template is not given to users, invitations and API keys; its copy needs clients', async () => {
  await using bench = await prepare()
  const { server, boss, root, builtIn } = bench
  await keepBuiltInRoles(server.ctx)
  const site = await server.given.site()
  const { id } = await builtIn('client_admin')
  const refused = { status: 400, error: { fields: { role: [expect.stringMatching(/is a template/)] } } }
  const user = { username: 'eve', password: 'battery of staples', role: id }
  expect(await root.call(createUser, { body: user })).toMatchObject(refused)
  expect(await root.call(createInvitation, { body: { role: id, email: '' } })).toMatchObject(refused)
  expect(await root.call(createApiKey, { body: { name: 'Tickets', user: boss.id, role: id } })).toMatchObject(
    refused,
  )
  const body = { name: 'Acme admin', copy_of: id }
  expect(await root.call(createRole, { body })).toMatchObject({
    status: 400,
    error: { fields: { can_view_clients: ['Choose the clients of this copy of "Client admin".'] } },
  })
  const limited = { ...body, can_view_clients: [site.client_id] }
  const { body: copy } = await root.call(createRole, { body: limited })
  expect(copy).toMatchObject({ can_view_clients: [site.client_id], can_manage_sites: true })
  expect((await root.call(createUser, { body: { ...user, role: copy.id } })).status).toBe(200)
})
