import type { CommandInput } from '@muster/contract/agent/commands'
import { editAgent } from '@muster/contract/api/agents'
import { createCustomField } from '@muster/contract/api/custom-fields'
import { createKey, editKey } from '@muster/contract/api/keystore'
import { createSnippet } from '@muster/contract/api/snippets'
import { createTask } from '@muster/contract/api/tasks'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'

const SECRET = 'correct horse battery'

async function prepare() {
  const server = await createTestServer()
  const { url } = await server.listen()
  const site = await server.given.site()
  const machine = await TestAgent.enrol(server, url, site.id)
  const root = server.as(await server.given.user({ superuser: true }))
  await machine.connect({ tasksVersion: 0 })
  let from = 0
  return {
    server,
    machine,
    root,
    /** The actions of the next definition that the machine receives. */
    received: async () => {
      for (;;) {
        const { payload, command } = await machine.nextCommand(from)
        from = machine.frames.findIndex((frame) => frame.type === 'command' && frame.command === command) + 1
        // The machine has just connected, and may receive it twice.
        const [task] = payload.name === 'set-tasks' ? (payload.input as CommandInput<'set-tasks'>).put : []
        if (task !== undefined) return task.actions
      }
    },
    async [Symbol.asyncDispose]() {
      machine.cut()
      await server[Symbol.asyncDispose]()
    },
  }
}

const scriptOf = (script: number, script_args: string[], env_vars: string[] = []) => ({
  type: 'script' as const,
  script,
  name: '',
  script_args,
  env_vars,
  timeout: 30,
})

test('a task runs a script as the signed-in user if the script says so', async () => {
  await using prepared = await prepare()
  const { server, machine, root, received } = prepared
  const [plain, ofUser] = [await server.given.script({}), await server.given.script({ run_as_user: 1 })]
  await root.call(createTask, {
    body: {
      agent: machine.agentId,
      name: 'Both',
      task_type: 'manual',
      actions: [scriptOf(plain.id, []), scriptOf(ofUser.id, [])],
    },
  })
  const actions = await received()
  expect(actions.map((action) => 'run_as_user' in action && action.run_as_user)).toEqual([
    false,
    { signed_in: true },
  ])
})

test('an agent that would run the script of a task as itself gets the reason instead', async () => {
  await using prepared = await prepare()
  const { server, machine, root, received } = prepared
  machine.cut()
  await machine.connect({ runsAsUser: false })
  const ofUser = await server.given.script({ script_body: 'whoami', run_as_user: 1 })
  const task = { agent: machine.agentId, name: 'Ours', task_type: 'manual' as const }
  await root.call(createTask, { body: { ...task, actions: [scriptOf(ofUser.id, ['a'], ['B=c'])] } })
  const problem = 'The agent of PC-12 is too old to run scripts as the signed-in user. Update the agent.'
  const [refused] = await received()
  expect(refused).toMatchObject({ body: '', args: [], env_vars: [], problem })
  expect(refused).not.toHaveProperty('run_as_user')
  machine.cut()
  await machine.connect({ tasksVersion: 1 })
  expect(await received()).toMatchObject([{ body: 'whoami', run_as_user: { signed_in: true }, args: ['a'] }])
})

test('a task is sent with values, again after a change, and reports missing ones', async () => {
  await using prepared = await prepare()
  const { server, machine, root, received } = prepared
  const params = { agent_id: machine.agentId }
  const { body: key } = await root.call(createKey, { body: { name: 'API', value: SECRET } })
  const { body: room } = await root.call(createCustomField, {
    body: { model: 'agent', type: 'text', name: 'Room', default_value_string: 'none' },
  })
  const script = await server.given.script({ script_body: 'true' })
  const args = ['{{global.API}}', '{{agent.Room}}']
  const echo = { type: 'cmd' as const, command: 'echo {{global.API}}', shell: 'sh' as const, timeout: 30 }
  await root.call(createTask, {
    body: {
      agent: machine.agentId,
      name: 'Tidy up',
      task_type: 'manual',
      actions: [scriptOf(script.id, args, ['KEY={{global.API}}']), echo],
    },
  })
  expect(await received()).toMatchObject([
    { args: [SECRET, 'none'], env_vars: [`KEY=${SECRET}`], secrets: [SECRET] },
    // Text for a shell is never changed.
    { cmd: 'echo {{global.API}}' },
  ])
  await root.call(editAgent, { params, body: { custom_fields: [{ field: room.id, string_value: 'Attic' }] } })
  expect(await received()).toMatchObject([{ args: [SECRET, 'Attic'] }, {}])
  await root.call(editKey, { params: { id: key.id }, body: { value: 'another one' } })
  expect(await received()).toMatchObject([{ args: ['another one', 'Attic'], secrets: ['another one'] }, {}])
  await root.call(editKey, { params: { id: key.id }, body: { name: 'TOKEN' } })
  expect(await received()).toMatchObject([
    { args, problem: expect.stringContaining('{{global.API}} has no value for') },
    {},
  ])
  const tables = [
    await server.ctx.db.selectFrom('tasks').selectAll().execute(),
    await server.ctx.db.selectFrom('audit_log').selectAll().execute(),
  ]
  expect(JSON.stringify(tables)).not.toMatch(/horse|another one/)
})

test('a script of a task is sent with its snippets, again after a change', async () => {
  await using prepared = await prepare()
  const { server, machine, root, received } = prepared
  const script = await server.given.script({ script_body: 'before\n{{greet}}\nafter' })
  const actions = [scriptOf(script.id, [])]
  await root.call(createTask, {
    body: { agent: machine.agentId, name: 'Greet', task_type: 'manual', actions },
  })
  expect(await received()).toMatchObject([{ body: 'before\n{{greet}}\nafter' }])
  await root.call(createSnippet, { body: { name: 'greet', shell: 'shell', code: 'echo hello' } })
  expect(await received()).toMatchObject([{ body: 'before\necho hello\nafter' }])
})
