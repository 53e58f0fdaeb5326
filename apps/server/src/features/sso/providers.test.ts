import { listAudit } from '@muster/contract/api/audit'
import {
  createSsoProvider,
  deleteSsoProvider,
  editSsoProvider,
  listSsoProviders,
} from '@muster/contract/api/sso'
import { expect, test } from 'vitest'
import { openTestReceiver } from '../alerts/channels/test-receiver.ts'
import { CLIENT_ID, CLIENT_SECRET } from './test-provider.ts'
import { CALLBACK, prepare } from './test-sso.ts'

test('a new provider must respond, name itself, and be at an allowed address', async () => {
  await using prepared = await prepare()
  await using receiver = await openTestReceiver()
  const { root, provider } = prepared
  const body = { name: 'corp', server_url: provider.issuer, client_id: CLIENT_ID }
  const addAt = async (server_url: string) =>
    (await root.call(createSsoProvider, { body: { ...body, server_url } })).error.fields?.['server_url']?.[0]
  receiver.answer = {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ issuer: provider.issuer, authorization_endpoint: 'javascript:alert(1)' }),
  }
  expect(await addAt(receiver.url)).toContain('The provider cannot be read')
  receiver.answer = { body: '<html>' }
  expect(await addAt(receiver.url)).toContain('The provider cannot be read')
  receiver.answer = { status: 302, headers: { location: provider.issuer } }
  expect(await addAt(receiver.url)).toContain('The provider cannot be read')
  receiver.answer = { headers: { 'content-type': 'application/json' }, body: `"${'x'.repeat(600_000)}"` }
  expect(await addAt(receiver.url)).toContain('500 kB')
  expect(await addAt('http://127.0.0.1:1')).toContain('refused the connection')
  for (const url of [
    'http://example.org',
    'https://a:b@example.org',
    'javascript:alert(1)',
    'file:///etc',
    '',
  ])
    expect(await addAt(url)).toBe('Enter the issuer URL. It starts with https://.')
  await using guarded = await prepare({ env: {} })
  const refused = await guarded.root.call(createSsoProvider, {
    body: { ...body, server_url: guarded.provider.issuer },
  })
  expect(refused.error.detail).toContain('MUSTER_CHANNEL_TARGETS')
})

test('only superusers change providers, and the secret is never shown', async () => {
  await using prepared = await prepare()
  const { server, root, provider } = prepared
  const keeper = server.as(
    await server.given.user({ permissions: ['can_list_accounts', 'can_manage_accounts'] }),
  )
  const body = { name: 'corp', server_url: provider.issuer, client_id: CLIENT_ID, secret: CLIENT_SECRET }
  expect((await keeper.call(createSsoProvider, { body })).status).toBe(403)
  const added = await root.call(createSsoProvider, { body })
  const { id, modified } = added.body
  const params = { id }
  expect((await keeper.call(editSsoProvider, { params, body: { role: null } })).status).toBe(403)
  expect((await keeper.call(deleteSsoProvider, { params })).status).toBe(403)
  const listed = await keeper.call(listSsoProviders, {})
  expect(listed.body).toMatchObject([{ name: 'corp', has_secret: true, callback_url: CALLBACK }])
  const rows = await server.ctx.db.selectFrom('sso_providers').selectAll().execute()
  const messages = (await root.call(listAudit, { body: {} })).text
  expect(JSON.stringify([rows, listed.text, added.text, messages, server.logLines])).not.toContain(
    CLIENT_SECRET,
  )
  const twice = await root.call(createSsoProvider, { body })
  expect([twice.status, twice.error.fields]).toMatchObject([409, { name: [expect.any(String)] }])
  const edited = await root.call(editSsoProvider, { params, body: { sign_out: true, modified } })
  expect(edited.body).toMatchObject({ sign_out: true, has_secret: true })
  const stale = await root.call(editSsoProvider, { params, body: { sign_out: false, modified } })
  expect(stale.error.code).toBe('changed_meanwhile')
  const useless = await root.call(editSsoProvider, { params, body: { role_map: [{ value: 'a', role: 1 }] } })
  expect(useless.error.fields).toHaveProperty('role_claim')
})
