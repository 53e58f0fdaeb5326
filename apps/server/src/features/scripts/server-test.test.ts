import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listAudit } from '@muster/contract/api/audit'
import { createKey } from '@muster/contract/api/keystore'
import { testScriptOnServer } from '@muster/contract/api/scripts'
import { editCoreSettings } from '@muster/contract/api/settings'
import { createSnippet, editSnippet } from '@muster/contract/api/snippets'
import { expect, test, vi } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'

const SECRET = 'correct horse battery'
const CALL = { code: 'true', shell: 'shell' } as const

async function prepare({ isOn = true } = {}) {
  const server = await createTestServer()
  const root = server.as(await server.given.user({ superuser: true, username: 'ada' }))
  await root.call(editCoreSettings, { body: { enable_server_scripts: isOn } })
  return { server, root, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

test('unsaved code runs on the server like a script, with snippets, keys and both outputs', async () => {
  await using bench = await prepare()
  const { root } = bench
  await root.call(createKey, { body: { name: 'API', value: SECRET } })
  await root.call(createSnippet, { body: { name: 'greet', code: 'echo "hello $1"', shell: 'shell' } })
  const body = {
    code: '{{greet}}\necho "key $KEY" >&2\nexit 4\n',
    shell: 'shell' as const,
    args: ['a b; id'],
    env_vars: ['KEY={{global.API}}'],
  }
  const code_with_snippets = body.code.replace('{{greet}}', 'echo "hello $1"')
  const { body: run } = await root.call(testScriptOnServer, { body: { ...body, code_with_snippets } })
  expect(run).toEqual({
    retcode: 4,
    reason: '',
    execution_time: expect.any(Number),
    stdout: 'hello a b; id\n',
    stderr: 'key ••••••\n',
  })
  const { audit_logs } = (await root.call(listAudit, { body: {} })).body
  expect(audit_logs[0]).toMatchObject({
    username: 'ada',
    action: 'execute_script',
    message: 'Tested a script on the server',
    after_value: { shell: 'shell', args: ['a b; id'], code: code_with_snippets },
  })
  expect(JSON.stringify(audit_logs)).not.toContain('horse')
})

test('code with a snippet runs only as read by the caller', async () => {
  await using bench = await prepare()
  const { root } = bench
  const { body: snippet } = await root.call(createSnippet, {
    body: { name: 'greet', code: 'echo hello', shell: 'shell' },
  })
  const body = { ...CALL, code: '{{greet}} {{other}}' }
  expect(await root.call(testScriptOnServer, { body })).toMatchObject({
    status: 400,
    error: { fields: { code_with_snippets: ['Send the code including its snippets.'] } },
  })
  const read = { ...body, code_with_snippets: 'echo hello {{other}}' }
  expect((await root.call(testScriptOnServer, { body: read })).body.stdout).toBe('hello {{other}}\n')
  await root.call(editSnippet, { params: { id: snippet.id }, body: { code: 'id; echo hello' } })
  expect(await root.call(testScriptOnServer, { body: read })).toMatchObject({
    status: 409,
    error: { code: 'changed_meanwhile' },
  })
})

test('it is refused while it is switched off, and nothing runs', async () => {
  await using bench = await prepare({ isOn: false })
  const folder = mkdtempSync(join(tmpdir(), 'muster-server-test-'))
  const code = `touch ${join(folder, 'made')}`
  expect(await bench.root.call(testScriptOnServer, { body: { ...CALL, code } })).toMatchObject({
    status: 403,
    error: {
      detail:
        'Scripts on the server are switched off. A superuser can switch them on in the global settings.',
    },
  })
  expect(existsSync(join(folder, 'made'))).toBe(false)
  rmSync(folder, { recursive: true })
})

test('it needs its own permission, and a role with access to every client', async () => {
  await using bench = await prepare()
  const { server } = bench
  const runner = await server.given.user({ permissions: ['can_run_scripts', 'can_manage_scripts'] })
  expect((await server.as(runner).call(testScriptOnServer, { body: CALL })).status).toBe(403)
  const client = await server.given.client({ name: 'Acme' })
  const limited = await server.given.user({ permissions: ['can_run_server_scripts'], clients: [client.id] })
  expect(await server.as(limited).call(testScriptOnServer, { body: CALL })).toMatchObject({
    status: 403,
    error: {
      detail:
        'Scripts on the server may affect every client, and your role is limited to some of them. Ask an administrator.',
    },
  })
})

test('variables of machines have no value', async () => {
  await using bench = await prepare()
  const body = { ...CALL, args: ['{{agent.hostname}}'] }
  expect(await bench.root.call(testScriptOnServer, { body })).toMatchObject({
    status: 400,
    error: { detail: expect.stringContaining('{{agent.hostname}} has no value for the server') },
  })
})

test('it ends at its time limit, and with the server', async () => {
  await using bench = await prepare()
  const { server, root } = bench
  const late = await root.call(testScriptOnServer, { body: { ...CALL, code: 'sleep 600', timeout: 1 } })
  expect(late.body).toMatchObject({ retcode: null, reason: 'The script was killed after 1 s.' })
  const folder = mkdtempSync(join(tmpdir(), 'muster-server-test-'))
  const begun = join(folder, 'begun')
  const waiting = root.call(testScriptOnServer, { body: { ...CALL, code: `touch ${begun}; sleep 600` } })
  await vi.waitFor(() => expect(existsSync(begun)).toBe(true))
  await server.app.stop()
  expect((await waiting).body).toMatchObject({
    retcode: null,
    reason: 'The server stopped while the script ran.',
  })
  rmSync(folder, { recursive: true })
})
