import type { CommandInput } from '@muster/contract/agent/commands'
import { editAgent } from '@muster/contract/api/agents'
import {
  type Check,
  createCheck,
  deleteCheck,
  editCheck,
  runChecks,
  runNodeChecks,
} from '@muster/contract/api/checks'
import { editScript } from '@muster/contract/api/scripts'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'

const PING = { check_type: 'ping', name: 'Router', ip: '192.0.2.1' } as const
const CPU = { check_type: 'cpuload' } as const

async function prepare() {
  const server = await createTestServer()
  const { url } = await server.listen()
  const site = await server.given.site()
  const machine = await TestAgent.enrol(server, url, site.id)
  const root = server.as(await server.given.user({ superuser: true }))
  let from = 0
  return {
    server,
    machine,
    root,
    /** The next definitions that the machine receives. */
    received: async (): Promise<CommandInput<'set-checks'>> => {
      const { payload, command } = await machine.nextCommand(from)
      from = machine.frames.findIndex((frame) => frame.type === 'command' && frame.command === command) + 1
      expect(payload.name).toBe('set-checks')
      // Guaranteed by the name.
      return payload.input as CommandInput<'set-checks'>
    },
    add: async (settings: Parameters<typeof bodyOf>[1]): Promise<Check> =>
      // Belongs to a machine, not to a policy.
      (await root.call(createCheck, { body: bodyOf(machine, settings) })).body as Check,
    async [Symbol.asyncDispose]() {
      machine.cut()
      await server[Symbol.asyncDispose]()
    },
  }
}

function bodyOf(
  machine: TestAgent,
  settings: typeof PING | typeof CPU | { check_type: 'script'; script: number },
) {
  return { agent: machine.agentId, settings }
}

test('a reconnecting machine with old checks receives what it lacks', async () => {
  await using prepared = await prepare()
  const { machine, add, received } = prepared
  const cpu = await add(CPU)
  const ping = await add(PING)
  await machine.connect({ checksVersion: 1 })
  const first = await received()
  expect(first).toEqual({
    version: 2,
    wanted: [cpu, ping].map(({ id }) => ({ id, revision: expect.stringMatching(/^[0-9a-f]+\.[0-9a-f]+$/) })),
    put: [],
  })
  machine.report({ kind: 'checks-missing', version: 2, ids: [ping.id, 99_999] })
  expect(await received()).toEqual({
    ...first,
    put: [
      {
        ...first.wanted[1],
        check_type: 'ping',
        run_interval_seconds: 120,
        settings: { ip: '192.0.2.1' },
      },
    ],
  })
})

test('a machine with the latest checks receives nothing', async () => {
  await using prepared = await prepare()
  const { server, machine, add, root } = prepared
  await add(CPU)
  await machine.connect({ checksVersion: 1 })
  await root.call(runChecks, { params: { agent_id: machine.agentId }, body: {} })
  const { payload } = await machine.nextCommand(0)
  expect(payload).toMatchObject({ name: 'run-checks', input: { ids: null } })
  machine.cut()
  await server.ctx.db.updateTable('agents').set({ checks_version: 5 }).execute()
  const from = machine.frames.length
  await machine.connect({ checksVersion: 5 })
  await root.call(runChecks, { params: { agent_id: machine.agentId }, body: { ids: [7] } })
  expect((await machine.nextCommand(from)).payload).toMatchObject({ name: 'run-checks', input: { ids: [7] } })
  const rows = await server.ctx.db
    .selectFrom('audit_log')
    .select(['agent_id', 'message'])
    .where('action', '=', 'execute_command')
    .execute()
  expect(rows).toEqual([
    { agent_id: machine.agentId, message: expect.stringMatching(/^Ran all checks of ".+"$/) },
    { agent_id: machine.agentId, message: expect.stringMatching(/^Ran a check of ".+"$/) },
  ])
})

test('a connected machine receives every change at once', async () => {
  await using prepared = await prepare()
  const { server, machine, add, received, root } = prepared
  await machine.connect()
  const script = await server.given.script({ script_body: 'echo 1', shell: 'python' })
  const check = await add({ check_type: 'script', script: script.id })
  const added = await received()
  expect(added).toMatchObject({
    version: 1,
    put: [
      {
        id: check.id,
        check_type: 'script',
        settings: { interpreter: 'python', body: 'echo 1', args: [], env_vars: [], timeout_seconds: 120 },
      },
    ],
  })
  await root.call(editScript, { params: { id: script.id }, body: { script_body: 'echo 2' } })
  const rewritten = await received()
  expect(rewritten).toMatchObject({ version: 2, put: [{ settings: { body: 'echo 2' } }] })
  expect(rewritten.wanted).not.toEqual(added.wanted)
  await root.call(editScript, { params: { id: script.id }, body: { run_as_user: true } })
  expect(await received()).toMatchObject({
    version: 3,
    put: [{ settings: { run_as_user: { signed_in: true } } }],
  })
  await root.call(editScript, { params: { id: script.id }, body: { description: 'No other text.' } })
  await root.call(editAgent, { params: { agent_id: machine.agentId }, body: { check_interval: 60 } })
  expect(await received()).toMatchObject({ version: 4, put: [{ run_interval_seconds: 60 }] })
  await root.call(deleteCheck, { params: { id: check.id } })
  expect(await received()).toEqual({ version: 5, wanted: [], put: [] })
})

test('an agent that would run a script as itself gets the reason instead, until it is updated', async () => {
  await using prepared = await prepare()
  const { server, machine, root, add, received } = prepared
  const agent = server.ctx.db.updateTable('agents').where('agent_id', '=', machine.agentId)
  const script = await server.given.script({ script_body: 'whoami', run_as_user: 1 })
  // As an earlier server has stored it, for which every agent could do this.
  await agent.set({ runs_as_user: 1 }).execute()
  await add({ check_type: 'script', script: script.id })
  await agent.set({ runs_as_user: null }).execute()
  const problem = 'The agent of PC-12 is too old to run scripts as the signed-in user. Update the agent.'
  const asUser = { body: 'whoami', run_as_user: { signed_in: true } }

  await machine.connect({ checksVersion: 1, runsAsUser: false })
  const old = await received()
  expect(old.put).toMatchObject([{ settings: { body: '', problem } }])
  expect(old.put[0]?.settings).not.toHaveProperty('run_as_user')
  await root.call(editScript, { params: { id: script.id }, body: { script_body: 'id' } })
  await root.call(editScript, { params: { id: script.id }, body: { run_as_user: false } })
  expect((await received()).put).toMatchObject([{ settings: { body: 'id' } }])
  await root.call(editScript, {
    params: { id: script.id },
    body: { script_body: 'whoami', run_as_user: true },
  })
  const again = await received()
  expect(again.put).toMatchObject([{ settings: { body: '', problem } }])
  machine.cut()

  await machine.connect({ checksVersion: again.version })
  const updated = await received()
  expect(updated.put).toMatchObject([{ settings: asUser }])
  expect(updated.put[0]?.settings).not.toHaveProperty('problem')
  machine.cut()
  await machine.connect({ checksVersion: updated.version, runsAsUser: false })
  expect((await received()).put).toMatchObject([{ settings: { body: '', problem } }])
})

test('thresholds are not sent to the machine', async () => {
  await using prepared = await prepare()
  const { machine, add, received, root } = prepared
  await machine.connect()
  const cpu = await add(CPU)
  const before = await received()
  const settings = { ...CPU, warning_threshold: 5 }
  await root.call(editCheck, { params: { id: cpu.id }, body: { settings } })
  await root.call(editCheck, { params: { id: cpu.id }, body: { settings, run_interval: 30 } })
  expect(await received()).toMatchObject({ version: before.version + 1, put: [{ run_interval_seconds: 30 }] })
})

test('after a restored backup the server moves past the version of the machine', async () => {
  await using prepared = await prepare()
  const { machine, add, received } = prepared
  await add(CPU)
  await machine.connect({ checksVersion: 40 })
  expect(await received()).toMatchObject({ version: 41, wanted: [{}] })
})

test('long scripts are sent in several commands', async () => {
  await using prepared = await prepare()
  const { server, machine, add, received } = prepared
  for (const letter of ['a', 'b', 'c']) {
    const script = await server.given.script({ script_body: letter.repeat(300_000) })
    await add({ check_type: 'script', script: script.id })
  }
  await machine.connect()
  const { wanted, version } = await received()
  machine.report({ kind: 'checks-missing', version, ids: wanted.map(({ id }) => id) })
  const parts = [await received(), await received(), await received()]
  expect(parts.map(({ put }) => put.map(({ id }) => id))).toEqual(wanted.map(({ id }) => [id]))
})

test('checks of an offline machine cannot be run now', async () => {
  await using prepared = await prepare()
  const { machine, root } = prepared
  const { error } = await root.call(runChecks, { params: { agent_id: machine.agentId }, body: {} })
  expect(error).toMatchObject({
    code: 'agent_offline',
    detail: 'PC-12 is offline. Try again when it is connected.',
  })
})

test('checks of a whole client or site run now on connected machines', async () => {
  await using prepared = await prepare()
  const { machine, root, server } = prepared
  const { site_id } = await server.ctx.db
    .selectFrom('agents')
    .select('site_id')
    .where('agent_id', '=', machine.agentId)
    .executeTakeFirstOrThrow()
  await server.given.agent({ site_id, hostname: 'AWAY' })
  await machine.connect()
  const params = { level: 'site' as const, id: site_id }
  const { body } = await root.call(runNodeChecks, { params })
  expect(body).toEqual({ sent: 1, offline: 1 })
  const rows = await server.ctx.db
    .selectFrom('audit_log')
    .select(['action', 'message', 'after_value'])
    .execute()
  expect(rows).toContainEqual({
    action: 'bulk_action',
    message: expect.stringMatching(/^Ran all checks of the site ".+"$/),
    after_value: JSON.stringify({ sent: 1, offline: 1 }),
  })
  const other = await server.given.client({ name: 'Other' })
  const user = await server.given.user({ permissions: ['can_run_checks'], clients: [other.id] })
  const stranger = server.as(user)
  expect((await stranger.call(runNodeChecks, { params })).error?.code).toBe('not_found')
  const { error } = await root.call(runNodeChecks, { params: { level: 'client', id: 4711 } })
  expect(error?.code).toBe('not_found')
})
