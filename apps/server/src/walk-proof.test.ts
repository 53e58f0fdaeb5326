import type { Endpoint } from '@muster/contract/endpoint'
import { expect, test } from 'vitest'
import { addressIn, bodyIn, queryIn } from './testing/test-calls.ts'
import { createTestServer } from './testing/test-server.ts'
import { createWorld } from './testing/test-world.ts'

/** Their access outlasts the session that made it: docs/decisions/0137-proof-before-lasting-access.md. */
const ASKED = [
  'POST /accounts/apikeys/',
  'PUT /accounts/apikeys/:id/',
  'POST /accounts/apikeys/:id/rotate/',
  'POST /accounts/invitations/',
  'POST /accounts/users/',
  'PUT /accounts/:id/users/',
  'POST /accounts/users/reset/',
  'PUT /accounts/users/reset_totp/',
  'DELETE /accounts/users/:id/passkeys/:passkey_id/',
  'POST /accounts/users/setup_totp/',
  'POST /accounts/users/confirm_totp/',
  'POST /accounts/roles/',
  'PUT /accounts/roles/:id/',
  'POST /accounts/ssoproviders/',
  'PUT /accounts/ssoproviders/:id/',
  'PUT /core/settings/',
  'POST /core/serverscript/test/',
  'POST /scripts/:id/approval/',
  'POST /agents/:agent_id/approvals/',
]

/** Writes of accounts and sign-in that were decided to need no proof. */
const NOT_ASKED = {
  'it only takes access away': [
    'DELETE /accounts/apikeys/:id/',
    'DELETE /accounts/invitations/:id/',
    'DELETE /accounts/:id/users/',
    'DELETE /accounts/roles/:id/',
    'DELETE /accounts/ssoproviders/:id/',
    'DELETE /accounts/users/:id/ssoaccounts/:account_id/',
    'DELETE /accounts/users/:id/sessions/',
    'DELETE /accounts/sessions/:digest/',
  ],
  'its body carries the proof, or a challenge that was given for one': [
    'POST /accounts/recovery_codes/',
    'POST /accounts/sessions/confirm/',
    'PUT /accounts/resetpw/',
    'PUT /accounts/reset2fa/',
    'POST /accounts/passkeys/start/',
    'POST /accounts/passkeys/',
    'POST /accounts/passkeys/:id/delete/',
  ],
  'it gives no access': [
    'PUT /accounts/passkeys/:id/',
    'PATCH /accounts/users/ui/',
    'POST /accounts/roles/preview/',
  ],
}

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`

test('each write of accounts decides whether it asks for a proof', async () => {
  await using server = await createTestServer()
  const endpoints = server.app.api.mounted
  expect(
    endpoints
      .filter(({ needsProof }) => needsProof === true)
      .map(nameOf)
      .toSorted(),
  ).toEqual(ASKED.toSorted())
  const writes = endpoints.filter(
    ({ method, path, access, needsProof }) =>
      path.startsWith('/accounts/') && method !== 'GET' && access !== 'public' && needsProof !== true,
  )
  expect(writes.map(nameOf).toSorted()).toEqual(Object.values(NOT_ASKED).flat().toSorted())
})

test('an old session is refused by exactly the endpoints that ask for a proof', async () => {
  await using server = await createTestServer()
  for (const endpoint of server.app.api.mounted) {
    if (endpoint.access === 'public') continue
    const world = await createWorld(server, nameOf(endpoint))
    const user = await server.given.user({ superuser: true })
    await server.ctx.db.updateTable('sessions').set({ proved_at: null }).execute()
    const body = bodyIn(world, endpoint)
    const { text } = await server.as(user).send({
      method: endpoint.method,
      url: addressIn(world, endpoint) + queryIn(endpoint),
      ...(body === undefined
        ? {}
        : { payload: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const isRefused = text.includes('"code":"proof_needed"')
    expect([nameOf(endpoint), isRefused]).toEqual([nameOf(endpoint), ASKED.includes(nameOf(endpoint))])
  }
})
