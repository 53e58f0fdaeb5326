import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'

const OTHER = 'W/"another"'

/** Each with what the server answers if TAG is the tag of what it would send. */
const CONDITIONS: [condition: string, status: number][] = [
  ['TAG', 304],
  ['WEAK', 304],
  ['STRONG', 304],
  ['*', 304],
  [' * ', 304],
  ['"a", TAG', 304],
  ['"a",TAG,"b"', 304],
  ['TAG , "b"', 304],
  ['"a, b", WEAK', 304],
  ['"a", W/"b",\tSTRONG', 304],
  ['"a"', 200],
  [OTHER, 200],
  ['"a", W/"b"', 200],
  ['""', 200],
  ['"*"', 200],
  // As text in another tag, and without its quotes.
  ['"x, BARE"', 200],
  ['BARE', 200],
  ['"BARE', 200],
  [',', 200],
]

function spell(condition: string, tag: string): string {
  const strong = tag.replace(/^W\//, '')
  return condition
    .replace('TAG', tag)
    .replace('WEAK', `W/${strong}`)
    .replace('STRONG', strong)
    .replace('BARE', strong.slice(1, -1))
}

test.each(CONDITIONS)('If-None-Match: %s returns %i', async (condition, expected) => {
  await using folder = await createConsoleFolder()
  await using server = await createTestServer({ consoleFolder: folder.path })
  const ada = server.as(await server.given.user({ permissions: ['can_list_agents'] }))
  for (const [client, url, accept] of [
    [ada, '/agents/', 'application/json'],
    [server.anonymous, '/', 'text/html'],
    [server.anonymous, '/first-paint.js', '*/*'],
  ] as const) {
    const ask = (headers: Record<string, string> = {}) =>
      client.send({ method: 'GET', url, headers: { accept, ...headers } })
    const first = await ask()
    const tag = String(first.headers['etag'])
    const again = await ask({ 'if-none-match': spell(condition, tag) })
    expect([url, again.status]).toEqual([url, expected])
    expect(again.text).toBe(expected === 304 ? '' : first.text)
    // A cache renews its copy with these.
    for (const name of ['etag', 'cache-control', 'vary'])
      expect(again.headers[name]).toBe(first.headers[name])
  }
})

test('two If-None-Match headers are one list', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user({ permissions: ['can_list_agents'] }))
  const tag = String((await ada.send({ method: 'GET', url: '/agents/' })).headers['etag'])
  const { url } = await server.listen()
  const headers = new Headers({ authorization: `Token ${ada.token}` })
  headers.set('cookie', [...ada.cookies].map(([name, value]) => `${name}=${value}`).join('; '))
  headers.append('if-none-match', '"a"')
  headers.append('if-none-match', tag)
  expect((await fetch(`${url}/agents/`, { headers })).status).toBe(304)
})

async function createConsoleFolder() {
  const path = await mkdtemp(join(tmpdir(), 'muster-console-'))
  await writeFile(join(path, 'index.html'), '<title>console</title>')
  await writeFile(join(path, 'first-paint.js'), '1')
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
