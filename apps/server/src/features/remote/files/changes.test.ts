import { changeFile, listFolder, readFileAccess, readText, writeText } from '@muster/contract/api/files'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../../testing/test-server.ts'
import { fileAudit, givenMachine, raw } from './test-machine.ts'

const HASH = 'a'.repeat(64)

async function prepare(server: TestServer) {
  const fixture = await givenMachine(server)
  const { agent } = fixture
  /** A request to the machine and its response. */
  async function answered<Answer>(call: () => Promise<Answer>, more: object) {
    const from = agent.frames.length
    const asked = call()
    const { payload } = await agent.nextCommand(from)
    agent.send({ type: 'reply', nonce: payload.nonce, refused: null, answer: null, ...more })
    return { payload, answer: await asked }
  }
  return { ...fixture, answered, [Symbol.dispose]: () => agent.cut() }
}

test('a path that is not base64url is always refused', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { ada, params } = fixture
  const base = `/agents/${params.agent_id}/files`
  const wrong = 'eHh4e'
  const upload = '00000000-0000-4000-8000-000000000000'
  const requests = [
    ['GET', `${base}/?path=${wrong}`],
    ['GET', `${base}/text/?path=${wrong}`],
    ['GET', `${base}/access/?path=${wrong}`],
    ['PUT', `${base}/text/`, { path: wrong, text: '', hash: HASH }],
    ['POST', `${base}/change/`, { change: 'make-folder', path: wrong }],
    ['POST', `${base}/uploads/`, { path: wrong, size: 1, replace: false }],
    ['POST', `${base}/uploads/${upload}/`, { path: wrong }],
    ['DELETE', `${base}/uploads/${upload}/?path=${wrong}`],
  ] as const
  for (const [method, url, payload] of requests) {
    const answer = await ada.send({ method, url, ...(payload === undefined ? {} : { payload }) })
    expect([answer.status, answer.error.fields], `${method} ${url}`).toMatchObject([
      400,
      { path: ['A path must be base64url.'] },
    ])
  }
})

test('the access list of a file is returned as sent by the machine', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { ada, params, answered } = fixture
  const path = raw('C:\\Data\\Anna')
  const entry = { name: 'SYSTEM', allowed: true, rights: ['full'], inherited: true, applies: 'all' }
  const access = { owner: 'PC-12\\Anna', inherits: true, entries: [entry] }
  const { payload, answer } = await answered(() => ada.call(readFileAccess, { params, query: { path } }), {
    answer: access,
  })
  expect(payload).toMatchObject({ name: 'read-file-access', input: { path }, author: 'ada' })
  expect(answer).toMatchObject({ status: 200, body: access })
})

test('changes on Windows are in the audit log with the path as its users write it', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { ada, user, params, answered } = fixture
  const body = { change: 'move', path: raw('C:\\a.txt'), to: raw('C:\\Temp\\b.txt') } as const
  await answered(() => ada.call(changeFile, { params, body }), { answer: { count: 1 } })
  expect(await fileAudit(server, user)).toEqual(['ada: Moved "C:\\a.txt" to "C:\\Temp\\b.txt"'])
})

test('a folder is listed in parts, as sent by the machine', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { ada, params, answered } = fixture
  const part = { path: raw('/var'), shown_path: '/var', entries: [], total: 0, next: null }
  const query = { path: raw('/var'), after: 'fYQ', search: 'log' }
  const listed = await answered(() => ada.call(listFolder, { params, query }), { answer: part })
  expect(listed.payload).toMatchObject({ name: 'list-folder', input: query, author: 'ada' })
  expect(listed.answer.body).toEqual(part)
  const hostile = { ...part, entries: [{ name: 'x' }] }
  const refused = await answered(() => ada.call(listFolder, { params, query }), { answer: hostile })
  expect(refused.answer.error.detail).toBe('PC-12 sent an unreadable response. Update its agent.')
})

test('changes are audited with their user, also refused ones', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { ada, user, params, answered } = fixture
  const path = raw('/srv/a')
  const one = { answer: { count: 1 } }
  const change = (body: Parameters<typeof ada.call<typeof changeFile>>[1]['body'], more: object = one) =>
    answered(() => ada.call(changeFile, { params, body }), more)
  await change({ change: 'make-folder', path })
  await change({ change: 'move', path, to: raw('/srv/b') })
  await change({ change: 'set-mode', path, mode: 0o640 })
  await change({ change: 'delete', path }, { answer: { count: 12 } })
  const { answer } = await change({ change: 'delete', path }, { refused: 'The disk can only be read.' })
  expect(answer.error).toMatchObject({ code: 'agent_refused', detail: 'PC-12: The disk can only be read.' })
  expect(await fileAudit(server, user)).toEqual([
    'ada: Created the folder "/srv/a"',
    'ada: Moved "/srv/a" to "/srv/b"',
    'ada: Set the permissions of "/srv/a" to 0640',
    'ada: Deleted "/srv/a" and 11 items in it',
    'ada: Failed to delete "/srv/a"',
  ])
})

test('a text that was changed on the machine is not written, and its content stays out of the log', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { ada, user, params, answered } = fixture
  const path = raw('/etc/app.conf')
  const read = await answered(() => ada.call(readText, { params, query: { path } }), {
    answer: { path, text: 'secret=1', hash: HASH },
  })
  expect(read.answer.body.text).toBe('secret=1')
  const body = { path, text: 'secret=22', hash: HASH }
  const write = (state: string) =>
    answered(() => ada.call(writeText, { params, body }), { answer: { state, hash: 'b'.repeat(64) } })
  expect((await write('changed')).answer.error).toMatchObject({
    code: 'changed_meanwhile',
    detail: 'The file was changed on the machine. Reload it and try again.',
  })
  expect((await write('written')).answer.body).toEqual({ hash: 'b'.repeat(64) })
  expect(await fileAudit(server, user)).toEqual([
    'ada: Viewed "/etc/app.conf"',
    'ada: Failed to edit "/etc/app.conf": it was changed on the machine',
    'ada: Edited "/etc/app.conf" (9 B)',
  ])
  const rows = await server.ctx.db.selectFrom('audit_log').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain('secret=')
})

test('a text file is returned as it is on the machine, also with the escape of a NUL as text', async () => {
  await using server = await createTestServer()
  using fixture = await prepare(server)
  const { ada, params, answered } = fixture
  const path = raw('/tmp/a.js')
  const file = { path, text: String.raw`const nul = "\u0000"`, hash: HASH }
  const { answer } = await answered(() => ada.call(readText, { params, query: { path } }), { answer: file })
  expect(answer).toMatchObject({ status: 200, body: file })
})
