import { createUser, deleteUser, editUser, listUsers } from '@muster/contract/api/accounts'
import {
  acceptInvitation,
  createInvitation,
  deleteInvitation,
  listInvitations,
  openInvitation,
} from '@muster/contract/api/invitations'
import { createRole, deleteRole } from '@muster/contract/api/roles'
import { checkCredentials } from '@muster/contract/api/sessions'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { createTestServer } from '../../../testing/test-server.ts'

const PASSWORD = 'battery of staples'

async function prepare() {
  const server = await createTestServer()
  server.clock.freeze('2026-11-26T12:00:00.000Z')
  const admin = server.as(await server.given.user({ superuser: true, username: 'ada' }))
  const { body: role } = await admin.call(createRole, { body: { name: 'Help desk', can_list_agents: true } })
  const invite = async () =>
    (await admin.call(createInvitation, { body: { role: role.id, email: 'eve@example.org' } })).body
  const accept = (token: string, username = 'eve', password = PASSWORD) =>
    server.anonymous.call(acceptInvitation, { body: { token, username, password, first_name: 'Eve' } })
  const openWith = (token: string) => server.anonymous.call(openInvitation, { body: { token } })
  return {
    server,
    admin,
    role,
    invite,
    accept,
    openWith,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('a link creates a user with the role, once, who then signs in', async () => {
  await using fixture = await prepare()
  const { server, admin, role, invite, accept, openWith } = fixture
  const { token, ...invitation } = await invite()
  expect(invitation).toMatchObject({ created_by: 'ada', role: role.id, expires: '2026-11-28T12:00:00.000Z' })
  expect((await admin.call(listInvitations, {})).text).not.toContain(token)
  expect(JSON.stringify(await server.ctx.db.selectFrom('invitations').selectAll().execute())).not.toContain(
    token,
  )
  for (let i = 0; i < 2; i += 1)
    expect((await openWith(token)).body, 'reading changes nothing').toMatchObject({
      created_by: 'ada',
      email: 'eve@example.org',
    })
  expect((await accept(token, 'eve', 'password12')).error.fields).toHaveProperty('password')
  expect((await accept(token, 'ada')).status, 'a taken name keeps the link').toBe(409)
  expect((await accept(token)).body).toEqual({ username: 'eve' })
  const user = (await admin.call(listUsers, {})).body.find(({ username }) => username === 'eve')
  expect(user).toMatchObject({
    role: role.id,
    first_name: 'Eve',
    email: 'eve@example.org',
    is_superuser: false,
  })
  const body = { username: 'eve', password: PASSWORD }
  expect((await server.anonymous.call(checkCredentials, { body })).body.token).toBeDefined()
  expect([(await openWith(token)).status, (await accept(token, 'mallory')).status]).toEqual([404, 404])
  const rows = await server.ctx.db.selectFrom('audit_log').select('message').execute()
  expect(rows.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      'Invited "eve@example.org" with the role "Help desk"',
      'Added the user "eve" by an invitation of "ada"',
    ]),
  )
})

test('of two people with one link, one gets a user', async () => {
  await using fixture = await prepare()
  const { token } = await fixture.invite()
  const answers = await Promise.all([fixture.accept(token, 'eve'), fixture.accept(token, 'mallory')])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404])
})

test('expired, revoked and guessed links create no user', async () => {
  await using fixture = await prepare()
  const { server, admin, role, invite, accept, openWith } = fixture
  const revoked = await invite()
  await admin.call(deleteInvitation, { params: { id: revoked.id } })
  expect((await accept(revoked.token)).status).toBe(404)
  const { token } = await invite()
  server.clock.advance(48 * 3600)
  for (const answer of [await openWith(token), await accept(token)])
    expect(answer.error.detail).toContain('This link has expired')
  const statuses = new Set<number>()
  for (let i = 0; i < 8; i += 1) statuses.add((await openWith(`guess${i}`)).status)
  expect(statuses).toEqual(new Set([404, 429]))
  const grace = server.as(await server.given.user({ superuser: true, username: 'grace' }))
  const { body: good } = await grace.call(createInvitation, { body: { role: role.id } })
  expect((await openWith(good.token)).status, 'a good link is not held up').toBe(200)
  expect((await grace.call(listUsers, {})).body.map(({ username }) => username)).toEqual(['ada', 'grace'])
})

test('a link ends with its role, and with the user who made it', async () => {
  await using fixture = await prepare()
  const { server, admin, role, invite, accept } = fixture
  const { token } = await invite()
  await admin.call(deleteRole, { params: { id: role.id } })
  expect((await accept(token)).status).toBe(404)

  const helper = await server.given.user({ permissions: PERMISSIONS })
  const { body: weak } = await admin.call(createRole, { body: { name: 'Weak' } })
  const make = async () =>
    (await server.as(helper).call(createInvitation, { body: { role: weak.id } })).body.token
  const [blocked, deleted] = [await make(), await make()]
  await admin.call(editUser, { params: { id: helper.id }, body: { is_active: false } })
  expect((await accept(blocked)).status).toBe(404)
  await admin.call(deleteUser, { params: { id: helper.id } })
  expect((await accept(deleted)).status).toBe(404)
})

test('nobody invites with more rights than their own, nor with an API key', async () => {
  await using fixture = await prepare()
  const { server, role } = fixture
  const helper = await server.given.user({ permissions: ['can_manage_accounts', 'can_list_accounts'] })
  const body = { role: role.id }
  expect((await server.as(helper).call(createInvitation, { body })).status).toBe(403)
  expect(
    (await server.as(helper).call(createInvitation, { body: { role: 4711 } })).error.fields,
  ).toHaveProperty('role')
  const root = await server.given.user({ superuser: true })
  expect(
    (await server.withKey(await server.given.apiKey(root)).call(createInvitation, { body })).status,
  ).toBe(403)
  expect(
    (await server.anonymous.call(createUser, { body: { username: 'x', password: PASSWORD } })).status,
  ).toBe(401)
})
