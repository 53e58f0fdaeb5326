import type { CommandInput } from '@muster/contract/agent/commands'
import { testScript } from '@muster/contract/api/runs'
import { createScript, downloadScript } from '@muster/contract/api/scripts'
import { createSnippet, deleteSnippet, editSnippet, listSnippets } from '@muster/contract/api/snippets'
import { expect, test } from 'vitest'
import { createTestServer } from '../../../testing/test-server.ts'
import { TestAgent } from '../../agents/test-agent.ts'

const LOG = { name: 'log', code: 'log() { echo "$1"; }', shell: 'shell' as const }

test('snippets are added with unique names, changed and deleted, each with an audit row', async () => {
  await using server = await createTestServer()
  const root = server.as(await server.given.user({ superuser: true }))
  const { body: snippet } = await root.call(createSnippet, { body: LOG })
  expect(snippet).toMatchObject({ ...LOG, desc: '' })
  expect((await root.call(createSnippet, { body: LOG })).error.detail).toBe(
    'A snippet named "log" already exists.',
  )
  for (const name of ['', 'a}}b', 'agent.hostname', 'x'.repeat(41)])
    expect((await root.call(createSnippet, { body: { ...LOG, name } })).status).toBe(400)
  const params = { id: snippet.id }
  await root.call(editSnippet, { params, body: { desc: 'writes a line', modified: snippet.modified } })
  const late = await root.call(editSnippet, { params, body: { desc: 'x', modified: snippet.modified } })
  expect([late.status, late.error.code]).toEqual([409, 'changed_meanwhile'])
  expect((await root.call(listSnippets, {})).body).toMatchObject([{ desc: 'writes a line' }])
  await root.call(deleteSnippet, { params })
  expect((await root.call(deleteSnippet, { params })).status).toBe(404)
  const messages = await server.ctx.db.selectFrom('audit_log').select('message').execute()
  expect(messages.map(({ message }) => message)).toEqual([
    'Added the snippet "log"',
    'Changed the snippet "log"',
    'Deleted the snippet "log"',
  ])
})

test('a script includes its snippets when it is downloaded and when it runs', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const machine = await TestAgent.enrol(server, url, (await server.given.site()).id)
  await machine.connect()
  const root = server.as(await server.given.user({ superuser: true }))
  await root.call(createSnippet, { body: LOG })
  const script_body = '{{log}}\ndocker ps --format "{{.Names}}"'
  const { body: script } = await root.call(createScript, {
    body: { name: 'S', shell: 'shell', script_body },
  })
  const expanded = `${LOG.code}\ndocker ps --format "{{.Names}}"`
  const params = { id: script.id }
  const download = async (query: object) => (await root.call(downloadScript, { params, query })).body.code
  expect(await download({ with_snippets: 'true' })).toBe(expanded)
  expect(await download({})).toBe(script_body)
  await root.call(testScript, {
    params: { agent_id: machine.agentId },
    body: { code: script_body, shell: 'shell', args: ['{{agent.plat}}'], wait: false },
  })
  const { payload } = await machine.nextCommand(0)
  expect((payload.input as CommandInput<'run-script'>).body).toBe(expanded)
  expect((payload.input as CommandInput<'run-script'>).args).toEqual(['linux'])
  machine.cut()
})

test('code is tested only on visible machines', async () => {
  await using server = await createTestServer()
  const [mine, other] = [await server.given.agent(), await server.given.agent()]
  const site = await server.ctx.db
    .selectFrom('agents')
    .select('site_id')
    .where('agent_id', '=', mine.agent_id)
    .executeTakeFirstOrThrow()
  const user = await server.given.user({
    permissions: ['can_run_scripts', 'can_list_agent_history'],
    sites: [site.site_id],
  })
  const run = async (agent_id: string) =>
    server.as(user).call(testScript, {
      params: { agent_id },
      body: { code: 'true', shell: 'shell', wait: false },
    })
  expect((await run(other.agent_id)).status).toBe(404)
  expect((await run(mine.agent_id)).body).toMatchObject({ state: 'queued', command: 'Test of a script' })
})
