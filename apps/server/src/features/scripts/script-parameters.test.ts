import type { CommandInput } from '@muster/contract/agent/commands'
import { createCheck } from '@muster/contract/api/checks'
import { planFleetJob } from '@muster/contract/api/fleet-jobs'
import { createKey } from '@muster/contract/api/keystore'
import { runScript } from '@muster/contract/api/runs'
import { createScript, editScript, getScriptVersion, listScriptVersions } from '@muster/contract/api/scripts'
import { createTask } from '@muster/contract/api/tasks'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'

const NOTE = `it's "5 o'clock" $(date) & more`
const PARAMETERS = [
  { name: 'Note', type: 'text' as const, required: true },
  { name: 'Days', type: 'number' as const, default: '30' },
  { name: 'Mode', type: 'choice' as const, choices: ['fast', 'safe'] },
  { name: 'Password', type: 'secret' as const },
]

async function prepare() {
  const server = await createTestServer()
  const { url } = await server.listen()
  const site = await server.given.site()
  const machine = await TestAgent.enrol(server, url, site.id)
  const root = server.as(await server.given.user({ superuser: true }))
  await root.call(createKey, { body: { name: 'DB', value: 'correct horse' } })
  const { body: script } = await root.call(createScript, {
    body: { name: 'Clean up', shell: 'shell', script_body: 'true', parameters: PARAMETERS },
  })
  return {
    server,
    machine,
    root,
    script,
    params: { agent_id: machine.agentId },
    async [Symbol.asyncDispose]() {
      machine.cut()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('a script gets its parameters as environment variables, with defaults and without a shell', async () => {
  await using prepared = await prepare()
  const { root, machine, script, params } = prepared
  await machine.connect()
  const env_vars = ['OTHER=1', `MUSTER_PARAM_NOTE=${NOTE}`, 'MUSTER_PARAM_PASSWORD={{global.DB}}']
  const { status } = await root.call(runScript, {
    params,
    body: { script: script.id, env_vars, wait: false },
  })
  expect(status).toBe(200)
  const { payload } = await machine.nextCommand(0)
  const input = payload.input as CommandInput<'run-script'>
  expect(input.env_vars).toEqual([
    'OTHER=1',
    `MUSTER_PARAM_NOTE=${NOTE}`,
    'MUSTER_PARAM_DAYS=30',
    'MUSTER_PARAM_PASSWORD=correct horse',
  ])
  expect(input.secrets).toEqual(['correct horse'])
})

test.each([
  [[], 'Note', 'Note needs a value.'],
  [['MUSTER_PARAM_NOTE=x', 'MUSTER_PARAM_DAYS=soon'], 'Days', 'Days needs a number, such as 10 or -0.5.'],
  [['MUSTER_PARAM_NOTE=x', 'MUSTER_PARAM_MODE=slow'], 'Mode', 'Mode must be one of: fast, safe.'],
  [['MUSTER_PARAM_NOTE=x', 'MUSTER_PARAM_PASSWORD=y'], 'Password', 'Password needs a key of the key store.'],
])('the values %o are refused for a run, a job, a task and a check', async (env_vars, name, sentence) => {
  await using prepared = await prepare()
  const { root, machine, script, params } = prepared
  const run = await root.call(runScript, { params, body: { script: script.id, env_vars, wait: false } })
  expect(run.error.fields).toEqual({ [`parameters.${name}`]: [sentence] })
  const job = await root.call(planFleetJob, {
    body: { target: { by: 'all' }, action: { type: 'script', script: script.id, env_vars } },
  })
  expect(job.error.fields).toEqual({ [`action.parameters.${name}`]: [sentence] })
  const actions = [{ type: 'script' as const, script: script.id, env_vars }]
  const task = await root.call(createTask, {
    body: { agent: machine.agentId, name: 'Nightly', task_type: 'manual', actions },
  })
  expect(task.error.fields).toEqual({ [`actions.0.parameters.${name}`]: [sentence] })
  const check = await root.call(createCheck, {
    body: { agent: machine.agentId, settings: { check_type: 'script', script: script.id, env_vars } },
  })
  expect(check.error.fields).toEqual({ [`settings.parameters.${name}`]: [sentence] })
})

test('a task keeps the values and defaults of its parameters', async () => {
  await using prepared = await prepare()
  const { root, machine, script } = prepared
  const actions = [{ type: 'script' as const, script: script.id, env_vars: [`MUSTER_PARAM_NOTE=${NOTE}`] }]
  const { body: task } = await root.call(createTask, {
    body: { agent: machine.agentId, name: 'Nightly', task_type: 'manual', actions },
  })
  expect(task).toMatchObject({
    actions: [{ env_vars: [`MUSTER_PARAM_NOTE=${NOTE}`, 'MUSTER_PARAM_DAYS=30'] }],
  })
})

test('parameters are versioned, and wrong ones are refused at their place', async () => {
  await using prepared = await prepare()
  const { root, script } = prepared
  const params = { id: script.id }
  const body = { parameters: [{ name: 'Days', type: 'number' as const, default: 'many' }] }
  expect((await root.call(editScript, { params, body })).error.fields).toEqual({
    'parameters.0.default': ['Days needs a number, such as 10 or -0.5.'],
  })
  await root.call(editScript, { params, body: { parameters: [] } })
  const { body: versions } = await root.call(listScriptVersions, { params })
  const first = await root.call(getScriptVersion, {
    params: { ...params, version_id: versions.at(-1)?.id ?? 0 },
  })
  expect(first.body.content.parameters).toMatchObject(PARAMETERS)
})
