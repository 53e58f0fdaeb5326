import { createUser, resetUserPassword } from '@muster/contract/api/accounts'
import { acceptInvitation, createInvitation, openInvitation } from '@muster/contract/api/invitations'
import { resetPassword } from '@muster/contract/api/sessions'
import { editCoreSettings, getCoreSettings } from '@muster/contract/api/settings'
import { getMe } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { createFirstAdmin, resetPassword as resetOnServer } from './create-first-admin.ts'

const CURRENT = 'battery of staples'

/** Everything that sets a password over the API. */
async function givenWays(server: TestServer) {
  const root = server.as(await server.given.user({ username: 'root', superuser: true }))
  const eve = await server.given.user({ username: 'eve', password: CURRENT, permissions: [] })
  const { token } = (await root.call(createInvitation, { body: { role: eve.roleId ?? 0 } })).body
  const ways = {
    change: (password: string) =>
      server.as(eve).call(resetPassword, { body: { current_password: CURRENT, password } }),
    reset: (password: string) => root.call(resetUserPassword, { body: { id: eve.id, password } }),
    add: (password: string) => root.call(createUser, { body: { username: 'new', password } }),
    accept: (password: string) =>
      server.anonymous.call(acceptInvitation, { body: { token, username: 'invited', password } }),
  }
  return { root, eve, token, ways }
}

// Neither is a word with marks nor a keyboard sequence: only the list of leaked passwords has them.
test.each(['strawberry', 'fktrcfylhf', 'Harrypotter', 'Manchester2024!', '4815162342'])(
  'the leaked password %s is refused wherever a password is set',
  async (leaked) => {
    await using server = await createTestServer()
    const { ways } = await givenWays(server)
    for (const [name, set] of Object.entries(ways))
      expect([name, (await set(leaked)).error]).toEqual([
        name,
        expect.objectContaining({
          code: 'invalid',
          fields: { password: ['This password is common and easy to guess. Choose another one.'] },
        }),
      ])
  },
)

test('new passwords have the minimum length of the settings; existing ones stay valid', async () => {
  await using server = await createTestServer()
  const { root, eve, token, ways } = await givenWays(server)
  expect((await root.call(getCoreSettings, {})).body.password_min_length).toBe(10)
  const saved = await root.call(editCoreSettings, { body: { password_min_length: 24 } })
  expect(saved.body.password_min_length).toBe(24)
  expect((await server.as(eve).call(getMe, {})).body.password_min_length).toBe(24)
  const invitation = await server.anonymous.call(openInvitation, { body: { token } })
  expect(invitation.body.password_min_length).toBe(24)
  for (const [name, set] of Object.entries(ways))
    expect([name, (await set('correct horse battery')).error?.fields]).toEqual([
      name,
      { password: ['A password has at least 24 characters.'] },
    ])
  const programs = { username: 'programs', block_dashboard_login: true }
  expect((await root.call(createUser, { body: programs })).status).toBe(200)
  for (const [name, set] of Object.entries(ways))
    expect([name, (await set('correct horse battery staple')).status]).toEqual([name, 200])
  expect((await resetOnServer(server.ctx, 'eve')).length).toBe(24)
  const row = await server.ctx.db.selectFrom('audit_log').select('message').where('object_type', '=', 'coresettings').executeTakeFirstOrThrow() // prettier-ignore
  expect(row.message).toBe('Changed the minimum length of passwords to 24 characters')
})

test.each([9, 65, 10.5, '12', null, 1e300])('the minimum length %j is refused', async (value) => {
  await using server = await createTestServer()
  const { root } = await givenWays(server)
  // Wrong on purpose.
  const body = { password_min_length: value as number }
  const { status, error } = await root.call(editCoreSettings, { body })
  expect([status, Object.keys(error.fields ?? {})]).toEqual([400, ['password_min_length']])
})

test('the server does not start with a leaked password for its first user', async () => {
  await using server = await createTestServer({ env: { MUSTER_ADMIN_PASSWORD: 'manchester' } })
  await expect(createFirstAdmin(server.ctx)).rejects.toThrow(
    'MUSTER_ADMIN_PASSWORD is not valid: This password is common and easy to guess. Choose another one.',
  )
})
