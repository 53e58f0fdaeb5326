import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { TestAgent } from '@muster/server/features/agents/test-agent.ts'
import { result } from '@muster/server/features/runs/test-run.ts'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { givenCli, startCli } from './test-cli.ts'

const READING = [
  'find_machines',
  'show_machine',
  'list_alerts',
  'list_scripts',
  'list_jobs',
  'show_job',
  'show_job_output',
]
const ToolResult = z.object({
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  isError: z.boolean().default(false),
})

/** The program as a client of the protocol starts it. */
async function openMcp(env: Record<string, string>) {
  const client = new Client({ name: 'test', version: '1' })
  const args = [join(import.meta.dirname, 'main.ts'), 'mcp']
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' }))
  onTestFinished(() => client.close())
  return {
    tools: async () => (await client.listTools()).tools,
    async call(name: string, input: Record<string, unknown> = {}) {
      const { content, isError } = ToolResult.parse(await client.callTool({ name, arguments: input }))
      return { isError, text: content[0].text }
    },
    async read(name: string, input: Record<string, unknown> = {}): Promise<unknown> {
      const { isError, text } = await this.call(name, input)
      if (isError) throw new Error(text)
      return JSON.parse(text)
    },
  }
}

test('a key that may only read gets tools that read', async () => {
  await using cli = await givenCli({
    user: { superuser: false, permissions: ['can_list_agents', 'can_list_alerts'] },
  })
  const { id } = await cli.server.given.site()
  using _machine = await TestAgent.enrol(cli.server, cli.url, id, { hostname: 'web-01' })
  const mcp = await openMcp(cli.env)
  const tools = await mcp.tools()
  expect(tools.map(({ name }) => name)).toEqual(READING)
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
  expect(await mcp.read('find_machines', { search: 'name:web-01' })).toMatchObject({
    total: 1,
    machines: [{ hostname: 'web-01', status: 'offline' }],
  })
  expect(await mcp.read('show_machine', { machine: 'WEB-01' })).toMatchObject({ hostname: 'web-01' })
  expect(await mcp.read('list_alerts')).toMatchObject({ alerts: [] })
  expect(await mcp.call('list_scripts')).toMatchObject({ isError: true })
  expect(await mcp.call('find_machines', { search: 'foo:1' })).toEqual({
    isError: true,
    text: expect.stringContaining('There is no field foo'),
  })
  expect(await mcp.call('show_machine', { machine: 'x'.repeat(300) })).toMatchObject({ isError: true })
  expect(await mcp.call('start_job', { hash: 'abc' })).toMatchObject({ isError: true })
})

test('a job is started only as it was planned, and once', async () => {
  await using cli = await givenCli()
  const { id } = await cli.server.given.site()
  using machine = await TestAgent.enrol(cli.server, cli.url, id, { hostname: 'web-01' })
  await machine.comeOnline()
  const mcp = await openMcp(cli.env)
  expect((await mcp.tools()).map(({ name }) => name)).toEqual([...READING, 'plan_job', 'start_job'])
  const unplanned = { isError: true, text: 'There is no plan with this hash. Call plan_job first.' }
  expect(await mcp.call('start_job', { hash: 'abc' })).toEqual(unplanned)

  const draft = {
    target: { by: 'search', search: 'name:web-01' },
    action: { type: 'command', shell: 'sh', cmd: 'uptime' },
  }
  const { hash } = z
    .object({ hash: z.string(), planned: z.literal(1) })
    .parse(await mcp.read('plan_job', draft))
  expect(await mcp.read('list_jobs')).toMatchObject({ total: 0 })
  const job = z.object({ id: z.int() }).parse(await mcp.read('start_job', { hash }))
  const runId = (await machine.nextCommand(0)).payload.history_id ?? 0
  expect(await mcp.call('start_job', { hash })).toEqual(unplanned)
  machine.report(result(runId))
  await vi.waitFor(async () =>
    expect(await mcp.read('show_job', job)).toMatchObject({ state: 'done', counts: { succeeded: 1 } }),
  )
})

test('without a valid key the program ends with a message', async () => {
  await using cli = await givenCli()
  const { code, stdout, stderr } = await startCli(['mcp'], { ...cli.env, MUSTER_API_KEY: 'x'.repeat(40) })
    .ended
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^muster: .+\n$/)
})
