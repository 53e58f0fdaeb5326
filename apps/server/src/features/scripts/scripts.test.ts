import { createHash } from 'node:crypto'
import {
  createScript,
  deleteScript,
  downloadScript,
  editScript,
  getScript,
  getScriptVersion,
  listScripts,
  listScriptVersions,
  restoreScriptVersion,
} from '@muster/contract/api/scripts'
import type { Input } from '@muster/contract/endpoint'
import type { Event } from '@muster/contract/events'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'

type Form = Input<typeof createScript>['body']

const FORM: Form = { name: 'Hello', shell: 'python', script_body: 'print("hello")' }

async function asAuthor(server: TestServer) {
  return server.as(await server.given.user({ permissions: ['can_list_scripts', 'can_manage_scripts'] }))
}

async function givenRun(
  server: TestServer,
  script: { script_id: number; script_name: string },
): Promise<number> {
  const at = server.ctx.now().toISOString()
  const { agent_id } = await server.given.agent()
  const row = {
    ...script,
    agent_id,
    time: at,
    type: 'script_run',
    state: 'done',
    command: script.script_name,
    shell: 'shell',
    username: 'ada',
    timeout_seconds: 90,
    expires_at: at,
    command_name: 'run-script',
    command_input: '{}',
    nonce: 'nonce',
  } as const
  const query = server.ctx.db.insertInto('agent_history').values(row).returning('id')
  return (await query.executeTakeFirstOrThrow()).id
}

test('a script is added with default values, its hash, an audit row and an event', async () => {
  await using server = await createTestServer()
  const events: Event[] = []
  server.ctx.onEvent((event) => void events.push(event))
  const caller = await asAuthor(server)
  const { body } = await caller.call(createScript, {
    body: {
      ...FORM,
      args: ['-v'],
      env_vars: ['KEY=secret=1'],
      supported_platforms: ['linux'],
      run_as_user: true,
    },
  })
  expect(body).toMatchObject({
    name: 'Hello',
    script_type: 'userdefined',
    args: ['-v'],
    env_vars: ['KEY=secret=1'],
    supported_platforms: ['linux'],
    default_timeout: 90,
    favorite: false,
    run_as_user: true,
    script_hash: createHash('sha256').update('print("hello")').digest('hex'),
  })
  expect((await caller.call(getScript, { params: { id: body.id } })).body).toEqual(body)
  expect(events).toContainEqual({ type: 'script.changed', ids: [body.id] })
  const row = await server.ctx.db.selectFrom('audit_log').selectAll().executeTakeFirstOrThrow()
  expect(row).toMatchObject({ action: 'add', object_type: 'script' })
  expect(row.after_value).toContain('print(')
  expect(row.after_value).not.toContain('secret=1')
})

test('the list has no bodies, and includes built-in and hidden scripts on request', async () => {
  await using server = await createTestServer()
  const { given } = server
  await given.script({ name: 'own' })
  await given.script({ name: 'built in', script_type: 'builtin' })
  await given.script({ name: 'hidden', hidden: 1 })
  const caller = await asAuthor(server)
  const list = async (query: Input<typeof listScripts>['query']) =>
    (await caller.call(listScripts, { query })).body.map(({ name }) => name)
  expect(await list({})).toEqual(['built in', 'own'])
  expect(await list({ showCommunityScripts: 'false' })).toEqual(['own'])
  expect(await list({ showHiddenScripts: 'true' })).toEqual(['built in', 'hidden', 'own'])
  const { text } = await caller.call(listScripts, { query: {} })
  expect(text).not.toContain('script_body')
})

test.each<[string, Partial<Form>, string]>([
  ['a name that is taken', { name: ' Taken ' }, 'name'],
  ['no name', { name: '  ' }, 'name'],
  ['a time limit under five seconds', { default_timeout: 4 }, 'default_timeout'],
  ['a variable that is not NAME=value', { env_vars: ['1X=2'] }, 'env_vars.0'],
  ['a body over a million characters', { script_body: 'x'.repeat(1_000_001) }, 'script_body'],
])('a script with %s is refused at its field', async (_, change, field) => {
  await using server = await createTestServer()
  await server.given.script({ name: 'Taken' })
  const { status, error } = await (
    await asAuthor(server)
  ).call(createScript, { body: { ...FORM, ...change } })
  expect(status).toBe(change.name === ' Taken ' ? 409 : 400)
  expect(Object.keys(error.fields ?? {})).toEqual([field])
})

test('a script of a million characters is stored', async () => {
  await using server = await createTestServer()
  const caller = await asAuthor(server)
  const { body } = await caller.call(createScript, { body: { ...FORM, script_body: '"\n'.repeat(500_000) } })
  expect(body.script_body).toHaveLength(1_000_000)
})

test('the hash is that of the stored body', async () => {
  await using server = await createTestServer()
  const caller = await asAuthor(server)
  const { body } = await caller.call(createScript, { body: { ...FORM, script_body: 'a\0b\uD800c' } })
  const kept = (await caller.call(getScript, { params: { id: body.id } })).body
  expect(kept.script_hash).toBe(createHash('sha256').update(kept.script_body).digest('hex'))
  expect(body.script_hash).toBe(kept.script_hash)
})

test('the second of two concurrent saves is refused', async () => {
  await using server = await createTestServer()
  server.clock.freeze('2026-11-20T10:00:00.000Z')
  const caller = await asAuthor(server)
  const { body: loaded } = await caller.call(createScript, { body: FORM })
  const save = (description: string, modified: string) =>
    caller.call(editScript, { params: { id: loaded.id }, body: { description, modified } })
  const first = await save('first', loaded.modified)
  expect(first.body.modified > loaded.modified).toBe(true)
  expect((await save('second', loaded.modified)).error).toMatchObject({ code: 'changed_meanwhile' })
  expect((await save('second', first.body.modified)).body.description).toBe('second')
})

test('one of many concurrent saves succeeds', async () => {
  await using server = await createTestServer()
  const caller = await asAuthor(server)
  const { body: loaded } = await caller.call(createScript, { body: FORM })
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      caller.call(editScript, {
        params: { id: loaded.id },
        body: { description: `text ${index}`, modified: loaded.modified },
      }),
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(9)
})

test('marking a favourite does not disturb an open editor', async () => {
  await using server = await createTestServer()
  const caller = await asAuthor(server)
  const { body: loaded } = await caller.call(createScript, { body: FORM })
  const at = { params: { id: loaded.id } }
  const marked = await caller.call(editScript, { ...at, body: { favorite: true } })
  expect(marked.body).toMatchObject({ favorite: true, modified: loaded.modified })
  const saved = await caller.call(editScript, {
    ...at,
    body: { description: 'new', modified: loaded.modified },
  })
  expect(saved.body).toMatchObject({ favorite: true, description: 'new' })
})

test('a changed body has a new hash, and the audit row has the old state', async () => {
  await using server = await createTestServer()
  const caller = await asAuthor(server)
  const { body: loaded } = await caller.call(createScript, { body: FORM })
  const { body } = await caller.call(editScript, { params: { id: loaded.id }, body: { script_body: 'pass' } })
  expect(body.script_hash).toBe(createHash('sha256').update('pass').digest('hex'))
  const row = await server.ctx.db
    .selectFrom('audit_log')
    .selectAll()
    .where('action', '=', 'modify')
    .executeTakeFirstOrThrow()
  expect(row.before_value).toContain('hello')
  expect(row.after_value).toContain('pass')
})

test('a built-in script can only be made a favourite or hidden', async () => {
  await using server = await createTestServer()
  const { id } = await server.given.script({ name: 'Built in', script_type: 'builtin' })
  const caller = await asAuthor(server)
  const loaded = (await caller.call(getScript, { params: { id } })).body
  const { id: _, script_type: __, script_hash: ___, ...whole } = loaded
  const marked = await caller.call(editScript, {
    params: { id },
    body: { ...whole, favorite: true, hidden: true },
  })
  expect(marked.body).toMatchObject({ favorite: true, hidden: true })
  const renamed = await caller.call(editScript, { params: { id }, body: { ...whole, name: 'Mine' } })
  expect(renamed.error).toMatchObject({ code: 'not_allowed' })
  expect((await caller.call(deleteScript, { params: { id } })).error).toMatchObject({ code: 'not_allowed' })
})

test('a script cannot be renamed to a taken name', async () => {
  await using server = await createTestServer()
  await server.given.script({ name: 'Taken' })
  const { id } = await server.given.script()
  const { error } = await (
    await asAuthor(server)
  ).call(editScript, { params: { id }, body: { name: 'Taken' } })
  expect(error).toMatchObject({
    code: 'conflict',
    fields: { name: ['A script named "Taken" already exists.'] },
  })
})

test('a deleted script does not exist, and its runs keep its name', async () => {
  await using server = await createTestServer()
  const { id, name } = await server.given.script()
  const run = await givenRun(server, { script_id: id, script_name: name })
  const caller = await asAuthor(server)
  expect((await caller.call(deleteScript, { params: { id } })).status).toBe(200)
  expect((await caller.call(getScript, { params: { id } })).status).toBe(404)
  expect((await caller.call(deleteScript, { params: { id } })).status).toBe(404)
  const history = server.ctx.db.selectFrom('agent_history').select(['script_id', 'script_name'])
  expect(await history.where('id', '=', run).execute()).toEqual([{ script_id: null, script_name: name }])
})

test.each([
  [{ filename: 'clean.ps1', name: 'Clean' }, 'clean.ps1'],
  [{ filename: '../../etc/passwd', name: 'Clean' }, '_.._etc_passwd'],
  [{ filename: '', name: 'Clean: up/now' }, 'Clean_ up_now.sh'],
  [{ filename: ' .. ', name: '...' }, 'script.sh'],
  [{ filename: 'exe.\u202Etxt', name: 'x' }, 'exe._txt'],
])('a download of %j is named %s', async (fields, filename) => {
  await using server = await createTestServer()
  const { id, script_body: code } = await server.given.script(fields)
  const { body } = await (await asAuthor(server)).call(downloadScript, { params: { id } })
  expect(body).toEqual({ filename, code })
})

test('every saved version is kept and can be restored, which adds a version', async () => {
  await using server = await createTestServer()
  const author = await asAuthor(server)
  const { body: first } = await author.call(createScript, { body: { ...FORM, args: ['-v'] } })
  const params = { id: first.id }
  await author.call(editScript, { params, body: { script_body: 'print("two")', args: [] } })
  await author.call(editScript, { params, body: { favorite: true } })
  const versions = (await author.call(listScriptVersions, { params })).body
  expect(versions).toHaveLength(2)
  const oldest = versions[1]!
  expect(oldest.username).not.toBe('')
  const version = await author.call(getScriptVersion, { params: { ...params, version_id: oldest.id } })
  expect(version.body.content).toMatchObject({ script_body: 'print("hello")', args: ['-v'] })
  const restore = (modified?: string) =>
    author.call(restoreScriptVersion, {
      params: { ...params, version_id: oldest.id },
      body: modified === undefined ? {} : { modified },
    })
  expect((await restore(first.modified)).error.code).toBe('changed_meanwhile')
  const restored = (await restore()).body
  expect(restored).toMatchObject({ script_body: 'print("hello")', args: ['-v'], favorite: true })
  expect((await author.call(listScriptVersions, { params })).body).toHaveLength(3)
  const audit = await server.ctx.db.selectFrom('audit_log').select('message').execute()
  expect(audit.at(-1)?.message).toBe(`Restored the script "Hello" as it was saved at ${oldest.saved_at}`)
  const missing = await author.call(getScriptVersion, { params: { ...params, version_id: 9999 } })
  expect(missing.status).toBe(404)
})

test('the state before the first change of an old script is kept too', async () => {
  await using server = await createTestServer()
  const author = await asAuthor(server)
  const script = await server.given.script({ script_body: 'old' })
  await author.call(editScript, { params: { id: script.id }, body: { script_body: 'new' } })
  const [now, before] = (await author.call(listScriptVersions, { params: { id: script.id } })).body
  expect([now?.username === '', before?.username]).toEqual([false, ''])
})

test('a hundred versions are kept', async () => {
  await using server = await createTestServer()
  const author = await asAuthor(server)
  const { body } = await author.call(createScript, { body: FORM })
  const params = { id: body.id }
  for (let round = 0; round < 103; round += 1)
    await author.call(editScript, { params, body: { script_body: `print(${round})` } })
  const versions = (await author.call(listScriptVersions, { params })).body
  expect(versions).toHaveLength(100)
})
