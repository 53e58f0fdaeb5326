import type { Endpoint } from '@muster/contract/endpoint'
import { beforeAll, expect, test } from 'vitest'
import { addressIn, bodyIn, queryIn } from './testing/test-calls.ts'
import { createTestServer, type TestServer } from './testing/test-server.ts'
import { createWorld, type World } from './testing/test-world.ts'

/** Bodies that wrap the object. */
const WRAPPED: Record<string, string> = { '/clients/:id/': 'client', '/clients/sites/:id/': 'site' }

let endpoints: readonly Endpoint[] = []
beforeAll(async () => {
  await using server = await createTestServer()
  endpoints = [...server.app.api.mounted]
})

test('a write with an unknown field is refused by name at every depth', async () => {
  await using server = await createTestServer()
  const world = await createWorld(server, 'Walk')
  for (const endpoint of endpoints) {
    if (endpoint.method === 'GET') continue
    const client = server.as(await server.given.user({ superuser: true }))
    for (const { body, path } of withUnknown(bodyIn(world, endpoint) ?? {}, [])) {
      const answer = await client.send({
        method: endpoint.method,
        url: addressIn(world, endpoint) + queryIn(endpoint),
        payload: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      })
      const what = `${endpoint.method} ${endpoint.path} ${path}`
      expect([what, answer.status, answer.text]).toEqual([what, 400, expect.stringContaining('nosuchfield')])
      expect([what, answer.error.fields]).toEqual([
        what,
        expect.objectContaining({ [path]: ['Unknown field: nosuchfield'] }),
      ])
    }
  }
})

test('an unknown query parameter is refused by name', async () => {
  await using server = await createTestServer()
  const world = await createWorld(server, 'Walk')
  for (const endpoint of endpoints) {
    if (endpoint.method === 'GET' && endpoint.query === undefined) continue
    const client = server.as(await server.given.user({ superuser: true }))
    const query = queryIn(endpoint)
    const body = bodyIn(world, endpoint)
    const answer = await client.send({
      method: endpoint.method,
      url: `${addressIn(world, endpoint)}${query}${query === '' ? '?' : '&'}nosuchname=1`,
      ...(body === undefined
        ? {}
        : { payload: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const what = `${endpoint.method} ${endpoint.path}`
    expect([what, answer.status, answer.text]).toEqual([what, 400, expect.stringContaining('nosuchname')])
  }
})

test('an object can be sent back as it was read', async () => {
  await using server = await createTestServer()
  for (const endpoint of endpoints) {
    if (endpoint.volatile === undefined) continue
    const { root, read, write } = await openObject(server, endpoint)
    const before = await read(root)
    const answer = await write(root, before)
    const what = `PUT ${endpoint.path}`
    expect([what, answer.status, answer.text]).toEqual([what, 200, answer.text])
    expect([what, stable(endpoint, await read(root))]).toEqual([what, stable(endpoint, before)])
  }
})

test('a changed read-only field is refused by name', async () => {
  await using server = await createTestServer()
  let refused = 0
  for (const endpoint of endpoints) {
    if (endpoint.volatile === undefined) continue
    const { root, read, write } = await openObject(server, endpoint)
    const object = await read(root)
    for (const name of Object.keys(object)) {
      if (endpoint.volatile.includes(name) || !isReadOnly(endpoint, name)) continue
      const answer = await write(root, { ...object, [name]: 'another' })
      const what = `PUT ${endpoint.path} ${name}`
      expect([what, answer.status, answer.text]).toEqual([
        what,
        400,
        expect.stringContaining(`Read-only field: ${name}`),
      ])
      refused += 1
    }
  }
  expect(refused, 'the walk meets read-only fields').toBeGreaterThan(20)
})

async function openObject(server: TestServer, endpoint: Endpoint) {
  const world: World = await createWorld(server, `Walk ${endpoint.path}`)
  const root = server.as(await server.given.user({ superuser: true }))
  const url = addressIn(world, endpoint)
  const noun = WRAPPED[endpoint.path]
  const isListed = !endpoints.some(({ method, path }) => method === 'GET' && path === endpoint.path)
  return {
    root,
    read: async (client: typeof root): Promise<Record<string, unknown>> => {
      const answer = await client.send({ method: 'GET', url: isListed ? url.replace(/[^/]+\/$/, '') : url })
      // Objects of the contract, or lists of them.
      if (!isListed) return answer.body as Record<string, unknown>
      const list = answer.body as Record<string, unknown>[]
      const found = list.find(({ id }) => url.endsWith(`/${String(id)}/`))
      if (found === undefined) throw new Error(`${url} is not in its list`)
      return found
    },
    write: (client: typeof root, object: Record<string, unknown>) =>
      client.send({
        method: 'PUT',
        url,
        payload: JSON.stringify(noun === undefined ? object : { [noun]: object }),
        headers: { 'content-type': 'application/json' },
      }),
  }
}

/** Without fields that saves or time change. */
function stable({ volatile = [] }: Endpoint, object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).filter(([name]) => name !== 'modified' && !volatile.includes(name)),
  )
}

/** Whether the body of a PUT lacks a field. */
function isReadOnly({ path, body }: Endpoint, name: string): boolean {
  const noun = WRAPPED[path]
  const parsed = body?.safeParse(
    noun === undefined ? { [name]: Symbol(name) } : { [noun]: { [name]: Symbol(name) } },
  )
  return parsed?.error?.issues.every((issue) => !issue.path.includes(name)) ?? true
}

/** Copies of a body, each with one unknown field in one of its objects. */
function* withUnknown(body: unknown, at: (string | number)[]): Generator<{ body: unknown; path: string }> {
  if (typeof body !== 'object' || body === null) return
  if (Array.isArray(body)) {
    for (const [index, entry] of body.entries())
      for (const inner of withUnknown(entry, [...at, index]))
        yield { body: body.with(index, inner.body), path: inner.path }
    return
  }
  yield { body: { ...body, nosuchfield: 1 }, path: [...at, 'nosuchfield'].join('.') }
  for (const [name, value] of Object.entries(body))
    for (const inner of withUnknown(value, [...at, name]))
      yield { body: { ...body, [name]: inner.body }, path: inner.path }
}
