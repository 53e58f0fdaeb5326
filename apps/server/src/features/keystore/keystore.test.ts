import { createKey, deleteKey, editKey, listKeyStore, MASKED_VALUE } from '@muster/contract/api/keystore'
import type { Event } from '@muster/contract/events'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'

const SECRET = 'correct horse battery'

async function asKeeper(server: TestServer) {
  return server.as(
    await server.given.user({ permissions: ['can_view_global_keystore', 'can_edit_global_keystore'] }),
  )
}

test('spec, key store: a key is stored encrypted, and neither responses nor the audit log contain its value', async () => {
  await using server = await createTestServer()
  const events: Event[] = []
  server.ctx.onEvent((event) => void events.push(event))
  const keeper = await asKeeper(server)
  const added = await keeper.call(createKey, { body: { name: 'API', value: SECRET } })
  expect(added.body).toMatchObject({ name: 'API', value: MASKED_VALUE })
  const listed = await keeper.call(listKeyStore, {})
  expect(listed.text).not.toContain('horse')
  const row = await server.ctx.db.selectFrom('key_store').selectAll().executeTakeFirstOrThrow()
  expect(row.value).not.toContain('horse')
  expect(server.ctx.secrets.decrypt(row.value)).toBe(SECRET)
  const audit = await server.ctx.db.selectFrom('audit_log').selectAll().execute()
  expect(audit.at(-1)).toMatchObject({
    action: 'add',
    object_type: 'keystore',
    message: 'Added the key "API"',
  })
  expect(JSON.stringify(audit)).not.toContain('horse')
  expect(events).toContainEqual({ type: 'keystore.changed', ids: [added.body.id] })
})

test('a key is renamed without its value, and a masked value does not replace it', async () => {
  await using server = await createTestServer()
  const keeper = await asKeeper(server)
  const { body } = await keeper.call(createKey, { body: { name: 'API', value: SECRET } })
  const params = { id: body.id }
  await keeper.call(editKey, { params, body: { name: 'TOKEN', value: MASKED_VALUE } })
  const stored = async () =>
    server.ctx.secrets.decrypt(
      (await server.ctx.db.selectFrom('key_store').selectAll().executeTakeFirstOrThrow()).value,
    )
  expect(await stored()).toBe(SECRET)
  await keeper.call(editKey, { params, body: { value: 'other' } })
  expect(await stored()).toBe('other')
  const messages = await server.ctx.db.selectFrom('audit_log').select('message').execute()
  expect(messages.map(({ message }) => message)).toEqual([
    'Added the key "API"',
    'Renamed the key "API" to "TOKEN"',
    'Replaced the value of the key "TOKEN"',
  ])
})

test('a save over a concurrent change is refused', async () => {
  await using server = await createTestServer()
  const keeper = await asKeeper(server)
  const { body } = await keeper.call(createKey, { body: { name: 'API', value: SECRET } })
  const params = { id: body.id }
  await keeper.call(editKey, { params, body: { value: 'theirs', modified: body.modified } })
  const late = await keeper.call(editKey, { params, body: { value: 'mine', modified: body.modified } })
  expect([late.status, late.error.code]).toEqual([409, 'changed_meanwhile'])
})

test('names are unique and contain no braces, and empty and masked values are refused', async () => {
  await using server = await createTestServer()
  const keeper = await asKeeper(server)
  await keeper.call(createKey, { body: { name: 'API', value: SECRET } })
  const twice = await keeper.call(createKey, { body: { name: ' API ', value: 'x' } })
  expect([twice.status, twice.error.fields]).toEqual([409, { name: ['A key named "API" already exists.'] }])
  for (const body of [
    { name: '', value: 'x' },
    { name: 'a}}b', value: 'x' },
    { name: 'a\nb', value: 'x' },
    { name: 'B', value: '' },
    { name: 'B', value: MASKED_VALUE },
    { name: 'B', value: 'x'.repeat(100_001) },
  ]) {
    expect((await keeper.call(createKey, { body })).status).toBe(400)
  }
})

test('a deleted key does not exist, and deleting it again says so', async () => {
  await using server = await createTestServer()
  const keeper = await asKeeper(server)
  const { body } = await keeper.call(createKey, { body: { name: 'API', value: SECRET } })
  const params = { id: body.id }
  expect((await keeper.call(deleteKey, { params })).status).toBe(200)
  expect((await keeper.call(listKeyStore, {})).body).toEqual([])
  expect((await keeper.call(deleteKey, { params })).status).toBe(404)
})

test('a user with read access cannot store, and one without access sees nothing', async () => {
  await using server = await createTestServer()
  const reader = server.as(await server.given.user({ permissions: ['can_view_global_keystore'] }))
  expect((await reader.call(listKeyStore, {})).status).toBe(200)
  expect((await reader.call(createKey, { body: { name: 'A', value: 'x' } })).status).toBe(403)
  const editor = server.as(await server.given.user({ permissions: ['can_edit_global_keystore'] }))
  expect((await editor.call(listKeyStore, {})).status).toBe(403)
})
