import { createClient } from '@muster/contract/api/clients'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import type { TestUser } from '../../testing/test-given.ts'

const ACME = { client: { name: 'Acme' }, site: { name: 'Berlin' } }

function create(
  server: TestServer,
  user: TestUser,
  { key, body = ACME }: { key: string; body?: typeof ACME },
) {
  const client = server.as(user)
  client.headers['idempotency-key'] = key
  return client.call(createClient, { body })
}

async function countClients(server: TestServer): Promise<number> {
  return (await server.ctx.db.selectFrom('clients').select('id').execute()).length
}

test('a create with a key happens once and gets the same response again', async () => {
  await using server = await createTestServer()
  const ada = await server.given.user({ permissions: ['can_manage_clients'] })
  const first = await create(server, ada, { key: 'k1' })
  const again = await create(server, ada, { key: 'k1' })
  expect([first.status, again.text]).toEqual([200, first.text])
  expect(await countClients(server)).toBe(1)
})

test('a key used for another request is refused', async () => {
  await using server = await createTestServer()
  const ada = await server.given.user({ permissions: ['can_manage_clients'] })
  await create(server, ada, { key: 'k1' })
  const other = await create(server, ada, { key: 'k1', body: { ...ACME, client: { name: 'Other' } } })
  expect([other.status, other.error.code]).toEqual([409, 'conflict'])
})

test('a body nested thousands of levels deep is refused like any other invalid body', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user({ permissions: ['can_manage_clients'] }))
  ada.headers['idempotency-key'] = 'deep'
  const payload = `{"client":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const headers = { 'content-type': 'application/json' }
  expect((await ada.send({ method: 'POST', url: '/clients/', payload, headers })).status).toBe(400)
})

test('a failed request can be repeated with its key', async () => {
  await using server = await createTestServer()
  const ada = await server.given.user({ permissions: ['can_manage_clients'] })
  const taken = await server.given.client({ name: 'Acme' })
  expect((await create(server, ada, { key: 'k1' })).status).toBeGreaterThanOrEqual(400)
  await server.ctx.db.deleteFrom('clients').where('id', '=', taken.id).execute()
  expect((await create(server, ada, { key: 'k1' })).status).toBe(200)
})

test('of ten concurrent requests with one key, one is carried out', async () => {
  await using server = await createTestServer()
  const ada = await server.given.user({ permissions: ['can_manage_clients'] })
  const answers = await Promise.all(Array.from({ length: 10 }, () => create(server, ada, { key: 'k1' })))
  expect(new Set(answers.map(({ status }) => status)).difference(new Set([200, 409]))).toEqual(new Set())
  expect(await countClients(server)).toBe(1)
})

test('the same key of two users is two keys, and a lost permission counts at once', async () => {
  await using server = await createTestServer()
  const ada = await server.given.user({ permissions: ['can_manage_clients'] })
  const eve = await server.given.user({ permissions: ['can_manage_clients'] })
  await create(server, ada, { key: 'k1' })
  const other = await create(server, eve, { key: 'k1', body: { ...ACME, client: { name: 'Eve' } } })
  expect(other.status).toBe(200)
  await server.ctx.db.updateTable('roles').set({ permissions: '[]' }).execute()
  expect((await create(server, ada, { key: 'k1' })).status).toBe(403)
})
