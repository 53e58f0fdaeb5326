import type { CommandInput } from '@muster/contract/agent/commands'
import { editAgent } from '@muster/contract/api/agents'
import { createCheck } from '@muster/contract/api/checks'
import { createCustomField } from '@muster/contract/api/custom-fields'
import { runScript } from '@muster/contract/api/runs'
import { createKey, editKey } from '@muster/contract/api/keystore'
import { expect, test } from 'vitest'
import type { TestServer } from '../../testing/test-server.ts'
import { createTestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'
import { fillVariables } from './fill-variables.ts'

const SECRET = 'correct horse battery'

async function prepare(server: TestServer) {
  const { url } = await server.listen()
  const client = await server.given.client({ name: 'Acme' })
  const site = await server.given.site({ client_id: client.id, name: 'Berlin' })
  const machine = await TestAgent.enrol(server, url, site.id)
  const root = server.as(await server.given.user({ superuser: true }))
  const params = { agent_id: machine.agentId }
  const { body: key } = await root.call(createKey, { body: { name: 'API', value: SECRET } })
  const { body: room } = await root.call(createCustomField, {
    body: { model: 'agent', type: 'text', name: 'Room number', default_value_string: 'none' },
  })
  return { client, site, machine, root, params, key, room }
}

test('spec, scripts: variables are filled in for the machine, and history and audit log show no key', async () => {
  await using server = await createTestServer()
  const { machine, root, params, room } = await prepare(server)
  await machine.connect()
  const script = await server.given.script({
    args: JSON.stringify(['{{agent.hostname}}/{{client.name}}/{{site.name}}', '--key={{global.API}}']),
    env_vars: JSON.stringify(['ROOM={{agent.Room number}}', 'KEY={{global.API}}']),
  })
  await root.call(editAgent, {
    params,
    body: { custom_fields: [{ field: room.id, string_value: '7 b' }] },
  })
  const { body: run } = await root.call(runScript, { params, body: { script: script.id, wait: false } })
  const { payload } = await machine.nextCommand(0)
  const input = payload.input as CommandInput<'run-script'>
  const [agent] = await server.ctx.db.selectFrom('agents').select('hostname').execute()
  expect(input.args).toEqual([`${agent?.hostname}/Acme/Berlin`, `--key=${SECRET}`])
  expect(input.env_vars).toEqual(['ROOM=7 b', `KEY=${SECRET}`])
  expect(input.secrets).toEqual([SECRET])
  expect(run.args).toEqual([`${agent?.hostname}/Acme/Berlin`, '--key=••••••'])
  const tables = [
    await server.ctx.db.selectFrom('agent_history').selectAll().execute(),
    await server.ctx.db.selectFrom('audit_log').selectAll().execute(),
  ]
  expect(JSON.stringify(tables)).not.toContain('horse')
  machine.cut()
})

test('a variable without a value is refused before anything is sent', async () => {
  await using server = await createTestServer()
  const { machine, root, params } = await prepare(server)
  const script = await server.given.script({ args: JSON.stringify(['{{agent.colour}}', '{{global.NONE}}']) })
  const { status, error } = await root.call(runScript, { params, body: { script: script.id, wait: false } })
  const [agent] = await server.ctx.db.selectFrom('agents').select('hostname').execute()
  expect([status, error.detail]).toEqual([
    400,
    `{{agent.colour}} and {{global.NONE}} have no value for ${agent?.hostname}. Check the name or set a value.`,
  ])
  expect(await server.ctx.db.selectFrom('agent_history').selectAll().execute()).toEqual([])
  machine.cut()
})

test('alert actions add their own values, which do not exist elsewhere', async () => {
  await using server = await createTestServer()
  const agent = await server.given.agent({ hostname: 'pc-1' })
  const target = { agentId: agent.agent_id, hostname: 'pc-1', shell: 'shell', author: null }
  const call = { args: ['{{alert.message}}', '{{agent.hostname}}'], env_vars: [] }
  const filled = await fillVariables(server.ctx, server.ctx.db, target, {
    ...call,
    alert: { message: 'Disk {{agent.hostname}} full' },
  })
  expect(filled.args).toEqual(['Disk {{agent.hostname}} full', 'pc-1'])
  await expect(fillVariables(server.ctx, server.ctx.db, target, call)).rejects.toThrow(/alert.message/)
  await expect(
    fillVariables(server.ctx, server.ctx.db, target, { ...call, alert: { other: '' } }),
  ).rejects.toThrow(/alert.message/)
})

test('characters that cmd would interpret are refused for cmd, and plain text for other shells', async () => {
  await using server = await createTestServer()
  const agent = await server.given.agent({ hostname: 'pc-1', description: 'x & reboot' })
  const call = { args: ['{{agent.description}}'], env_vars: [] }
  const target = { agentId: agent.agent_id, hostname: 'pc-1', author: null }
  const fill = (shell: string) => fillVariables(server.ctx, server.ctx.db, { ...target, shell }, call)
  expect((await fill('powershell')).args).toEqual(['x & reboot'])
  await expect(fill('cmd')).rejects.toThrow(/cmd would interpret characters in \{\{agent.description\}\}/)
})

test('the script of a check is sent with values, again after a change, and reports missing ones', async () => {
  await using server = await createTestServer()
  const { machine, root, params, key, room } = await prepare(server)
  const script = await server.given.script({ script_body: 'true' })
  await machine.connect({ checksVersion: 0 })
  let from = 0
  const received = async () => {
    const { payload, command } = await machine.nextCommand(from)
    from = machine.frames.findIndex((frame) => frame.type === 'command' && frame.command === command) + 1
    return (payload.input as CommandInput<'set-checks'>).put.map(({ settings }) => settings)
  }
  const script_args = ['{{global.API}}', '{{agent.Room number}}']
  await root.call(createCheck, {
    body: {
      agent: machine.agentId,
      settings: { check_type: 'script', script: script.id, script_args },
    },
  })
  let put = await received()
  // The machine has just connected, and may receive it twice.
  if (put.length === 0) put = await received()
  expect(put).toMatchObject([{ args: [SECRET, 'none'], secrets: [SECRET] }])
  await root.call(editAgent, {
    params,
    body: { custom_fields: [{ field: room.id, string_value: 'Attic' }] },
  })
  expect(await received()).toMatchObject([{ args: [SECRET, 'Attic'] }])
  await root.call(editKey, { params: { id: key.id }, body: { value: 'another one' } })
  expect(await received()).toMatchObject([{ args: ['another one', 'Attic'], secrets: ['another one'] }])
  await root.call(editKey, { params: { id: key.id }, body: { name: 'TOKEN' } })
  expect(await received()).toMatchObject([
    { args: script_args, problem: expect.stringContaining('{{global.API}} has no value for') },
  ])
  const checks = await server.ctx.db.selectFrom('checks').selectAll().execute()
  expect(JSON.stringify(checks)).not.toMatch(/horse|another one/)
  machine.cut()
})
