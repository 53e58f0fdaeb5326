import { createView, deleteView, editView, listViews } from '@muster/contract/api/views'
import type { Event } from '@muster/contract/events'
import { expect, test } from 'vitest'
import type { TestClient } from '../../testing/test-client.ts'
import { createTestServer } from '../../testing/test-server.ts'

async function prepare() {
  const server = await createTestServer()
  const events: Event[] = []
  server.ctx.onEvent((event) => void events.push(event))
  const permissions = ['can_list_agents'] as const
  const ada = server.as(await server.given.user({ username: 'ada', permissions }))
  const bob = server.as(await server.given.user({ username: 'bob', permissions }))
  const root = server.as(await server.given.user({ superuser: true }))
  return { events, ada, bob, root, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

const names = async (client: TestClient) =>
  (await client.call(listViews, { query: {} })).body.map(({ name, editable }) => [name, editable])

test('a view is private until it is shared, and belongs to its owner', async () => {
  await using prepared = await prepare()
  const { events, ada, bob, root } = prepared
  const columns = [
    { id: 'hostname', width: null },
    { id: 'field_3', width: 120 },
  ]
  const { body: view } = await ada.call(createView, {
    body: { name: ' Old Debian ', search: 'debian is:offline', sort: '-status', columns },
  })
  expect(view).toMatchObject({
    name: 'Old Debian',
    shared: false,
    search: 'debian is:offline',
    sort: '-status',
    columns,
    username: 'ada',
    editable: true,
  })
  const params = { id: view.id }
  expect(await names(bob)).toEqual([])
  expect((await bob.call(editView, { params, body: { name: 'x' } })).status).toBe(404)
  const shared = await ada.call(editView, { params, body: { shared: true, modified: view.modified } })
  expect(shared.body).toMatchObject({ ...view, shared: true, modified: expect.any(String) as string })
  expect(await names(bob)).toEqual([['Old Debian', false]])
  const refused = await bob.call(deleteView, { params })
  expect([refused.status, refused.error.detail]).toEqual([
    403,
    '"Old Debian" belongs to ada. Save a view of your own.',
  ])
  expect(await names(root)).toEqual([['Old Debian', true]])
  await root.call(deleteView, { params })
  expect(await names(ada)).toEqual([])
  expect(events.filter(({ type }) => type === 'view.changed')).toHaveLength(3)
})

test('two views of one user have two names; an older version is not saved over a newer one', async () => {
  await using prepared = await prepare()
  const { ada, bob } = prepared
  const { body: view } = await ada.call(createView, { body: { name: 'Mine' } })
  expect(view).toMatchObject({ search: '', sort: '', columns: [] })
  expect((await ada.call(createView, { body: { name: 'Mine' } })).error.detail).toBe(
    'A view named "Mine" already exists.',
  )
  expect((await bob.call(createView, { body: { name: 'Mine' } })).status).toBe(200)
  const params = { id: view.id }
  await ada.call(editView, { params, body: { search: 'a' } })
  const late = await ada.call(editView, { params, body: { search: 'b', modified: view.modified } })
  expect([late.status, late.error.code]).toEqual([409, 'changed_meanwhile'])
  const wrong = await ada.call(editView, { params, body: { sort: 'A B' } })
  expect([wrong.status, Object.keys(wrong.error.fields ?? {})]).toEqual([400, ['sort']])
})
