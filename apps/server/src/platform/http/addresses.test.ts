import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { listAgents } from '@muster/contract/api/agents'
import { CONSOLE_SCREENS } from '@muster/contract/console-screens'
import { describe, expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'

const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8'
const PAGE = '<title>console</title>'

describe('an address of the API never answers with the console', () => {
  test.each([
    ['GET', '/agents/', 401],
    ['GET', '//agents/', 401],
    ['GET', '////agents/?search=is:online', 401],
    ['GET', '//agents/ID/', 401],
    ['GET', '/agents/ID/', 401],
    ['GET', '/agents//', 404],
    ['GET', '/agents//ID/', 404],
    ['GET', '/agents//notes/', 404],
    ['GET', '/agents/ID//notes/', 404],
    ['GET', '//agents//ID//', 404],
    ['GET', '/v2/checkcreds/', 405],
    ['GET', '//v2/checkcreds/', 405],
    ['GET', '/v2//checkcreds/', 404],
    ['HEAD', '//v2/checkcreds/', 405],
    ['POST', '//v2/checkcreds', 400],
    ['GET', '/core/version', 401],
    ['GET', '//health', 200],
    ['GET', '/core/settings', 401],
    ['GET', '/core/nothing/', 404],
    ['GET', '/core', 404],
    ['GET', '/AGENTS/', 404],
    ['GET', '/Agents/ID', 404],
    ['GET', '/V2/checkcreds/', 404],
    ['GET', '/agents/./ID/', 404],
    ['GET', '/agents/../agents/', 404],
    ['GET', '/x/../agents/', 404],
    ['GET', '/./agents/', 404],
    ['GET', '/x/%2e%2E/agents/', 404],
    ['GET', '/agents%2FID/', 404],
    ['GET', '/agents%2fID', 404],
    ['GET', '/%2Fagents/', 404],
    ['GET', '/agents%252FID/', 404],
    ['GET', '/%61gents/', 401],
    ['GET', '/agents%5CID/', 404],
    ['GET', '/agents%20/', 404],
    ['GET', '/agents;v=1/', 404],
    ['GET', '/agents%00/', 404],
    ['GET', '/scripts/', 401],
    ['GET', '/patches/nothing', 404],
    ['GET', '/agent/nothing', 404],
    ['POST', '/agent/install.sh', 405],
    ['GET', '/ws/nothing/', 404],
    ['GET', '/docs/nothing', 404],
  ] as const)('%s %s returns %i', async (method, url, expected) => {
    await using folder = await createConsoleFolder()
    await using server = await createTestServer({ consoleFolder: folder.path })
    const { port } = await server.listen()
    for (const accept of [BROWSER, '*/*', 'application/json']) {
      const { status, headers, text } = await ask(port, { method, path: url, accept })
      expect([url, accept, status]).toEqual([url, accept, expected])
      expect(headers['content-type']).toContain('application/json')
      expect(text).not.toContain(PAGE)
      if (status >= 400 && method !== 'HEAD') expect(JSON.parse(text)).toHaveProperty('code')
    }
  })

  test('not even at the address of a screen, if the request has a key or a token', async () => {
    await using folder = await createConsoleFolder()
    await using server = await createTestServer({ consoleFolder: folder.path })
    const keys = [
      { 'x-api-key': 'a-key-that-nobody-has' },
      { authorization: 'Bearer a-key-that-nobody-has' },
      { authorization: 'Token a-token-that-nobody-has' },
    ]
    for (const headers of keys) {
      const answer = await server.anonymous.send({
        method: 'GET',
        url: '/agents/ID',
        headers: { accept: BROWSER, ...headers },
      })
      expect([answer.status, answer.error.code]).toEqual([401, 'not_signed_in'])
    }
    // A password of the proxy in front.
    const page = await visit(server, '/agents/ID', { authorization: 'Basic dXNlcjpwYXNzd29yZA==' })
    expect([page.status, page.text]).toEqual([200, PAGE])
  })
})

test('a base address with a slash at its end works', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user({ permissions: ['can_list_agents'] }))
  const { text } = await ada.call(listAgents, {})
  const doubled = await ada.send({ method: 'GET', url: `/${listAgents.path}` })
  expect([doubled.status, doubled.text]).toEqual([200, text])
})

test('a missing part of an address is named', async () => {
  await using server = await createTestServer()
  const { status, error } = await server.anonymous.send({ method: 'POST', url: '/agents//cmd/' })
  expect([status, error]).toMatchObject([
    404,
    { code: 'not_found', detail: 'This address does not exist. It has an empty part: "//".' },
  ])
})

test('the whole address of a request line is an address as well', async () => {
  await using folder = await createConsoleFolder()
  await using server = await createTestServer({ consoleFolder: folder.path })
  const { url, port } = await server.listen()
  for (const path of [`${url}//agents/`, `${url}/agents//ID/`]) {
    const { headers, text } = await ask(port, { method: 'GET', path, accept: BROWSER })
    expect(headers['content-type']).toContain('application/json')
    expect(text).not.toContain(PAGE)
  }
})

test('browsers get the console at its screens and where no API is', async () => {
  await using folder = await createConsoleFolder()
  await using server = await createTestServer({ consoleFolder: folder.path })
  const screens = CONSOLE_SCREENS.map((path) => path.replaceAll(/\$\w+/g, 'AbC1'))
  for (const url of [...screens, '/settings/', '/settings/no/such', '/no-such-page', '/account', '//']) {
    const { status, text } = await visit(server, url)
    expect([url, status, text]).toEqual([url, 200, PAGE])
  }
})

const visit = (server: TestServer, url: string, headers: Record<string, string> = {}) =>
  server.anonymous.send({ method: 'GET', url, headers: { accept: BROWSER, ...headers } })

/** Sends a path as it is: clients that parse it as a URL would resolve its dot segments. */
async function ask(port: number, given: { method: string; path: string; accept: string }) {
  const { method, path, accept } = given
  const sent = request({ host: '127.0.0.1', port, method, path, headers: { accept } })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 0, headers: response.headers, text: await readText(response) }
}

async function createConsoleFolder() {
  const path = await mkdtemp(join(tmpdir(), 'muster-console-'))
  await writeFile(join(path, 'index.html'), PAGE)
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
