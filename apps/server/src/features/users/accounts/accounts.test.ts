import { createUser, deleteUser, editUser, getUser, listUsers, resetUserPassword, resetUserTotp, type User } from '@muster/contract/api/accounts' // prettier-ignore
import { listAgents } from '@muster/contract/api/agents'
import { listAudit } from '@muster/contract/api/audit'
import {
  checkCredentials,
  endSession,
  endUserSessions,
  listUserSessions,
} from '@muster/contract/api/sessions'
import { getMe } from '@muster/contract/api/users'
import { PERMISSIONS } from '@muster/contract/permissions'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestServer } from '../../../testing/test-server.ts'

const PASSWORD = 'correct horse battery'

async function prepare() {
  const server = await createTestServer()
  const root = await server.given.user({ username: 'root', superuser: true })
  return { server, given: server.given, root: server.as(root), rootId: root.id }
}
type Prepared = Awaited<ReturnType<typeof prepare>>

/** A help desk user who manages users and has one client. */
async function givenHelpDesk({ given }: Prepared) {
  const site = await given.site()
  const desk = await given.user({
    username: 'desk',
    permissions: ['can_list_accounts', 'can_manage_accounts', 'can_list_agents', 'can_use_terminal'],
    clients: [site.client_id],
  })
  return { site, desk }
}

test('only superusers see the last sign-in address of a superuser', async () => {
  const prepared = await prepare()
  const { server, root, rootId } = prepared
  await using _server = server
  const { desk } = await givenHelpDesk(prepared)
  await server.ctx.db.updateTable('users').set({ last_login_source: '198.51.100.7' }).execute()
  const seenBy = async (caller: typeof root) => {
    const listed = (await caller.call(listUsers, {})).body.find(({ id }) => id === rootId)
    const got = (await caller.call(getUser, { params: { id: rootId } })).body
    return [listed?.last_login_ip, got.last_login_ip]
  }
  expect(await seenBy(server.as(desk))).toEqual([null, null])
  expect(await seenBy(root)).toEqual(['198.51.100.7', '198.51.100.7'])
  const own = (await server.as(desk).call(getUser, { params: { id: desk.id } })).body
  expect(own.last_login_ip).toBe('198.51.100.7')
})

test('a user is added with a role, signs in, is changed and deleted, with audit rows', async () => {
  const { server, given, root } = await prepare()
  await using _server = server
  await given.agent()
  const { roleId } = await given.user({ username: 'bob', permissions: ['can_list_agents'] })
  const body = {
    username: ' Ada.L ',
    password: PASSWORD,
    first_name: 'Ada',
    email: 'ada@example.org',
    role: roleId,
  }
  const ada = (await root.call(createUser, { body })).body
  expect(ada).toMatchObject({ username: 'ada.l', role: roleId, is_active: true, has_all_rights: false, totp: false, last_login: null, may_change: true }) // prettier-ignore
  expect(JSON.stringify(ada)).not.toContain('argon2')
  const signedIn = await server.anonymous.call(checkCredentials, {
    body: { username: 'ADA.L', password: PASSWORD },
  })
  expect(signedIn.body).toMatchObject({ username: 'ada.l', name: 'Ada' })

  const params = { id: ada.id }
  const now = (await root.call(getUser, { params })).body
  expect(now.last_login).not.toBeNull()
  const changes = { last_name: 'Lovelace', role: null, modified: ada.modified }
  const changed = (await root.call(editUser, { params, body: changes })).body
  expect(changed).toMatchObject({ first_name: 'Ada', last_name: 'Lovelace', role: null, role_name: null })
  expect((await root.call(editUser, { params, body: changes })).error?.code).toBe('changed_meanwhile')
  expect((await root.call(listUsers, {})).body.map(({ username }) => username)).toEqual([
    'ada.l',
    'bob',
    'root',
  ])
  expect((await root.call(deleteUser, { params })).status).toBe(200)
  expect((await root.call(getUser, { params })).status).toBe(404)
  expect((await root.call(deleteUser, { params })).status).toBe(404)
  const { audit_logs } = (await root.call(listAudit, { body: { objectFilter: ['user'] } })).body
  expect(audit_logs.map(({ message }) => message)).toEqual([
    'Deleted the user "ada.l"',
    'Changed the user "ada.l"',
    expect.stringContaining('ada.l'),
    'Added the user "ada.l"',
  ])
  expect(audit_logs[1]).toMatchObject({ before_value: { last_name: '' }, after_value: { last_name: 'Lovelace', role: null } }) // prettier-ignore
  expect(JSON.stringify(audit_logs)).not.toContain(PASSWORD)
})

test('a role applies at once, and a blocked user is signed out until unblocked', async () => {
  const { server, given, root } = await prepare()
  await using _server = server
  const { roleId } = await given.user({ permissions: ['can_list_agents'] })
  const ada = await given.user({ username: 'ada', password: PASSWORD })
  const params = { id: ada.id }
  const asAda = server.as(ada)
  expect((await asAda.call(listAgents, {})).status).toBe(403)
  await root.call(editUser, { params, body: { role: roleId } })
  expect((await asAda.call(listAgents, {})).status).toBe(200)
  await root.call(editUser, { params, body: { is_active: false } })
  expect((await asAda.call(getMe, {})).status).toBe(401)
  const signIn = () =>
    server.anonymous.call(checkCredentials, { body: { username: 'ada', password: PASSWORD } })
  expect((await signIn()).error?.code).toBe('bad_credentials')
  await root.call(editUser, { params, body: { is_active: true } })
  expect((await asAda.call(getMe, {})).status).toBe(401)
  expect((await signIn()).status).toBe(200)
})

test('a new password and a reset of two-factor sign-in end the sessions of the user', async () => {
  const { server, given, root } = await prepare()
  await using _server = server
  const ada = await given.user({ username: 'ada', password: PASSWORD, totp: true })
  const again = await root.call(resetUserPassword, { body: { id: ada.id, password: 'another good one' } })
  expect(again.status).toBe(200)
  expect((await server.as(ada).call(getMe, {})).status).toBe(401)
  const signIn = (password: string) =>
    server.anonymous.call(checkCredentials, { body: { username: 'ada', password } })
  expect((await signIn(PASSWORD)).error?.code).toBe('bad_credentials')
  expect((await signIn('another good one')).body).toEqual({ totp: true })
  await root.call(resetUserTotp, { body: { id: ada.id } })
  expect((await signIn('another good one')).body).toMatchObject({ totp: false, username: 'ada' })
  const { audit_logs } = (await root.call(listAudit, { body: { actionFilter: ['modify'] } })).body
  expect(audit_logs.map(({ message }) => message)).toEqual([
    'Reset two-factor sign-in of "ada"',
    'Reset the password of "ada"',
  ])
})

test('users cannot lock themselves out', async () => {
  const { server, given, root, rootId } = await prepare()
  await using _server = server
  await given.user({ username: 'boss', superuser: true })
  const params = { id: rootId }
  const { roleId } = await given.user()
  for (const body of [{ is_active: false }, { is_superuser: false }, { role: roleId }]) {
    const { status, error } = await root.call(editUser, { params, body })
    expect([status, Object.keys(error.fields ?? {})]).toEqual([409, Object.keys(body)])
  }
  expect((await root.call(deleteUser, { params })).status).toBe(409)
  expect((await root.call(resetUserPassword, { body: { id: rootId, password: PASSWORD } })).status).toBe(409)
  expect((await root.call(resetUserTotp, { body: { id: rootId } })).status).toBe(409)
  expect((await root.call(editUser, { params, body: { first_name: 'Root' } })).body.first_name).toBe('Root')
})

test('the last superuser is not lost, even if two demote each other at once', async () => {
  const { server, given, root, rootId } = await prepare()
  await using _server = server
  const boss = await given.user({ username: 'boss', superuser: true })
  const answers = await Promise.all([
    root.call(editUser, { params: { id: boss.id }, body: { is_superuser: false } }),
    server.as(boss).call(editUser, { params: { id: rootId }, body: { is_superuser: false } }),
  ])
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThan(2)
  const left = await server.ctx.db.selectFrom('users').where('is_superuser', '=', 1).select('id').execute()
  expect(left.length).toBeGreaterThan(0)
})

test('a user who is deleted, blocked or given a new password while signing in is not signed in', async () => {
  const { server, given, root } = await prepare()
  await using _server = server
  for (const username of ['deleted', 'blocked', 'reset']) {
    const { id } = await given.user({ username, password: PASSWORD })
    await server.ctx.db.deleteFrom('sessions').where('user_id', '=', id).execute()
    const { db } = server.ctx
    const signingIn = server.anonymous.call(checkCredentials, { body: { username, password: PASSWORD } })
    // The user has been read by then, and the password takes longer to verify than the row to change.
    for (let turn = 0; turn < 20; turn += 1) await setImmediate()
    if (username === 'deleted') await root.call(deleteUser, { params: { id } })
    else if (username === 'blocked') await root.call(editUser, { params: { id }, body: { is_active: false } })
    else await db.updateTable('users').set({ password_hash: 'another' }).where('id', '=', id).execute()
    const { status } = await signingIn
    expect([400, 409]).toContain(status)
    expect(await db.selectFrom('sessions').where('user_id', '=', id).select('digest').execute()).toEqual([])
  }
})

test('a user manager can neither give more rights than their own nor change users with more', async () => {
  const prepared = await prepare()
  const { server, given, root, rootId } = prepared
  await using _server = server
  const { site, desk } = await givenHelpDesk(prepared)
  const asDesk = server.as(desk)
  const less = await given.user({ username: 'less', permissions: ['can_list_agents'], sites: [site.id] })
  const wide = await given.user({ username: 'wide', permissions: ['can_list_agents'] })
  const more = await given.user({ username: 'more', permissions: ['can_send_cmd'], sites: [site.id] })
  const elsewhere = await given.user({ username: 'elsewhere', sites: [(await given.site()).id] })

  const listed = (await asDesk.call(listUsers, {})).body
  const may = (wanted: boolean) => listed.filter(({ may_change }) => may_change === wanted).map(nameOf)
  expect(may(true)).toEqual(['desk', 'less'])
  expect(may(false)).toEqual(['elsewhere', 'more', 'root', 'wide'])

  const add = (body: object) =>
    asDesk.call(createUser, { body: { username: 'new', password: PASSWORD, ...body } })
  for (const { roleId } of [wide, more, elsewhere]) {
    expect(await add({ role: roleId })).toMatchObject({ status: 403, error: { fields: { role: [expect.any(String)] } } }) // prettier-ignore
    const params = { id: less.id }
    expect((await asDesk.call(editUser, { params, body: { role: roleId } })).status).toBe(403)
  }
  expect((await add({ is_superuser: true })).status).toBe(403)
  expect((await add({ role: less.roleId })).body).toMatchObject({ username: 'new', role: less.roleId })

  for (const id of [rootId, more.id, wide.id, elsewhere.id]) {
    const params = { id }
    for (const { status, error } of [
      await asDesk.call(editUser, { params, body: { first_name: 'x' } }),
      await asDesk.call(editUser, { params, body: { is_active: false } }),
      await asDesk.call(deleteUser, { params }),
      await asDesk.call(resetUserPassword, { body: { id, password: PASSWORD } }),
      await asDesk.call(resetUserTotp, { body: { id } }),
    ])
      expect([status, error.code]).toEqual([403, 'not_allowed'])
  }
  const reader = server.as(await given.user({ permissions: ['can_list_accounts'] }))
  expect((await reader.call(listUsers, {})).status).toBe(200)
  expect((await reader.call(editUser, { params: { id: less.id }, body: {} })).status).toBe(403)
  const all = server.as(await given.user({ permissions: PERMISSIONS }))
  expect((await all.call(editUser, { params: { id: rootId }, body: {} })).status).toBe(403)
  expect((await root.call(getUser, { params: { id: rootId } })).body.username).toBe('root')
})

test('a user manager cannot end sessions of users with more rights', async () => {
  const prepared = await prepare()
  const { server, given, root, rootId } = prepared
  await using _server = server
  const { site, desk } = await givenHelpDesk(prepared)
  const asDesk = server.as(desk)
  const less = await given.user({ permissions: ['can_list_agents'], sites: [site.id] })
  const [session] = (await root.call(listUserSessions, { params: { id: rootId } })).body
  const digest = session?.digest ?? ''
  for (const { status, error } of [
    await asDesk.call(endUserSessions, { params: { id: rootId } }),
    await asDesk.call(endSession, { params: { digest } }),
  ])
    expect([status, error.code]).toEqual([403, 'not_allowed'])
  expect((await root.call(getMe, {})).status).toBe(200)
  expect((await asDesk.call(endUserSessions, { params: { id: less.id } })).status).toBe(200)
  expect((await server.as(less).call(getMe, {})).status).toBe(401)
  expect((await root.call(endUserSessions, { params: { id: desk.id } })).status).toBe(200)
})

test.each([
  ['username', { username: '' }],
  ['username', { username: '<img src=x>' }],
  ['username', { username: 'a b' }],
  ['username', { username: 'x'.repeat(151) }],
  ['username', { username: 'root' }],
  ['username', { username: 'ROOT' }],
  ['password', { password: 'short' }],
  ['password', { password: 'x'.repeat(1025) }],
  ['email', { email: 'nobody' }],
  ['first_name', { first_name: 'x'.repeat(200) }],
  ['role', { role: 4711 }],
  ['role', { role: -1 }],
  ['is_active', { is_active: 'yes' }],
])('a wrong %s is refused at its field, and no user is added', async (field, wrong) => {
  const { server, root } = await prepare()
  await using _server = server
  // Wrong on purpose.
  const body = { username: 'ada', password: PASSWORD, ...wrong } as { username: string; password: string }
  const { status, error } = await root.call(createUser, { body })
  expect([400, 409]).toContain(status)
  expect(Object.keys(error.fields ?? {})).toEqual([field])
  expect((await root.call(listUsers, {})).body.map(nameOf)).toEqual(['root'])
})

const nameOf = ({ username }: User) => username
