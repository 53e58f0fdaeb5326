import { getAgent } from '@muster/contract/api/agents'
import { listClients } from '@muster/contract/api/clients'
import { createCustomField, deleteCustomField } from '@muster/contract/api/custom-fields'
import { createTask, editTask, getTask, getTaskRun, listTaskRuns } from '@muster/contract/api/tasks'
import type { Input } from '@muster/contract/endpoint'
import type { Event } from '@muster/contract/events'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { storeTaskReports } from './store-task-reports.ts'

type Form = Input<typeof createCustomField>['body']
const COMMAND = { type: 'cmd', shell: 'sh', command: 'true' } as const

/** A machine whose task stores its result in a custom field. */
async function prepare(form: Partial<Form> = {}, more: object = {}) {
  const server = await createTestServer()
  const agent = await server.given.agent({ hostname: 'pc-1' })
  const root = server.as(await server.given.user({ superuser: true, username: 'ada' }))
  const { body: field } = await root.call(createCustomField, {
    body: { model: 'agent', type: 'text', name: 'Found', ...form },
  })
  const { body: task } = await root.call(createTask, {
    body: {
      agent: agent.agent_id,
      name: 'Look',
      task_type: 'manual',
      actions: [COMMAND],
      custom_field: field.id,
      ...more,
    },
  })
  let count = 0
  const params = { agent_id: agent.agent_id }
  return {
    server,
    agent,
    root,
    field,
    task,
    /** The machine ran it, and each action printed one of these. */
    prints: async (stdout: string | string[], { stderr = '', retcode = 0 } = {}) => {
      count += 1
      const at = server.clock.now().toISOString()
      const head = { task_id: task.id, run_id: `run-number-${count}`, trigger: 'manual' as const }
      const actions = [stdout].flat().map((text) => ({
        name: 'look',
        outcome: 'exited' as const,
        reason: null,
        retcode,
        stdout: text,
        stderr,
        execution_time: 1,
      }))
      const times = { planned_at: null, started_at: at, ended_at: at }
      const report = { kind: 'task-result' as const, ...head, ...times, reason: null, actions }
      await server.ctx.transaction((tx, emit) =>
        storeTaskReports({ ctx: server.ctx, tx, emit }, [{ agentId: agent.agent_id, report }]),
      )
      return (await root.call(getTask, { params: { id: task.id } })).body.task_result
    },
    value: async () =>
      (await root.call(getAgent, { params })).body.custom_fields.find(({ field: id }) => id === field.id)
        ?.value,
    audits: async () =>
      server.ctx.db.selectFrom('audit_log').selectAll().where('username', '=', 'server').execute(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('the last line of the last action is stored in the custom field, with an audit row and an event', async () => {
  await using given = await prepare()
  expect(given.task).toMatchObject({ custom_field_name: 'Found', collector_all_output: false })
  const events: Event[] = []
  given.server.ctx.onEvent((event) => void events.push(event))
  expect(await given.prints(['first\n', 'second\r\n Attic \r\n\r\n'])).toMatchObject({
    status: 'passing',
    more_info: '',
  })
  expect(await given.value()).toBe('Attic')
  const { agent_id } = given.agent
  expect(events).toContainEqual({ type: 'agent.changed', ids: [agent_id], agent_ids: [agent_id] })
  expect(await given.audits()).toMatchObject([
    {
      action: 'modify',
      object_type: 'agent',
      agent_id,
      message: 'The task "Look" changed the custom field "Found"',
      before_value: '{"custom_fields":{"Found":null}}',
      after_value: '{"custom_fields":{"Found":"Attic"}}',
    },
  ])
  await given.prints('Attic\n')
  expect(await given.audits()).toHaveLength(1)
  await given.prints('\n')
  expect(await given.value()).toBeUndefined()
})

test('a custom field holds no colours, and the line that a terminal shows at its end', async () => {
  const printed = 'looking\n\u001b[1m10 %\r\u001b[32mAttic\u001b[0m\n'
  await using one = await prepare()
  await one.prints(printed)
  expect(await one.value()).toBe('Attic')
  await using all = await prepare({}, { collector_all_output: true })
  await all.prints(['first\n', '\u001b[32m  second\u001b[0m\n'])
  expect(await all.value()).toBe('first\n  second')
})

test('the complete output of all actions is stored in the custom field', async () => {
  await using given = await prepare({}, { collector_all_output: true })
  await given.prints(['first\r\n', ' second\nthird\n'])
  expect(await given.value()).toBe('first\n second\nthird')
})

test.each<[string, Partial<Form>, string, unknown]>([
  ['number', { type: 'number' }, '42.5\n', '42.5'],
  ['single', { type: 'single', options: ['gold', 'tin'] }, 'gold', 'gold'],
  ['multiple', { type: 'multiple', options: ['x', 'y', 'z'] }, 'z, x', ['x', 'z']],
  ['multiple with a comma', { type: 'multiple', options: ['a, b', 'c'] }, 'a, b', ['a, b']],
  ['checkbox', { type: 'checkbox' }, 'True\r\n', true],
  ['checkbox', { type: 'checkbox' }, '0', false],
  ['datetime', { type: 'datetime' }, '2026-11-21T09:30:00+02:00', '2026-11-21T07:30:00.000Z'],
])('a result in a custom field of type %s', async (_type, form, printed, value) => {
  await using given = await prepare(form)
  expect(await given.prints(printed)).toMatchObject({ status: 'passing', more_info: '' })
  expect(await given.value()).toEqual(value)
})

test('the last line of an output whose middle was left out is stored, and never all of it', async () => {
  const printed = 'first\n[12,345 characters left out here]\nt of a line\nlast'
  await using one = await prepare()
  expect(await one.prints(printed)).toMatchObject({ status: 'passing', more_info: '' })
  expect(await one.value()).toBe('last')
  await using all = await prepare({}, { collector_all_output: true })
  expect(await all.prints(printed)).toMatchObject({
    more_info: 'The result was not stored. The output is too long for Found.',
  })
  expect(await all.value()).toBeUndefined()
})

test.each<[Partial<Form>, string, string]>([
  [{ type: 'number' }, 'many', 'Found must be a number such as 42 or 0.5.'],
  [{ type: 'single', options: ['gold'] }, 'tin', '"tin" is not a choice of Found.'],
  [{ type: 'multiple', options: ['x'] }, 'x,q', '"q" is not a choice of Found.'],
  [{ type: 'checkbox' }, 'perhaps', 'Found accepts true or false, 1 or 0, yes or no, on or off.'],
  [{ type: 'datetime' }, 'soon', 'Found must be a date and time such as 2026-11-21T09:30.'],
  [{ required: true, default_value_string: 'x' }, '', 'Found is needed.'],
  [{}, 'x'.repeat(10_000), 'The output is too long for Found.'],
  // The start of the last line was left out.
  [{}, 'first\n[12,345 characters left out here]\nend', 'The output is too long for Found.'],
])(
  'a result that does not fit %j is reported with the run, and nothing is lost',
  async (form, printed, why) => {
    await using given = await prepare(form)
    const more_info = `The result was not stored. ${why}`
    expect(await given.prints(printed)).toMatchObject({
      status: 'passing',
      more_info,
      stdout: printed && `${printed}\n`,
    })
    expect(await given.value()).toBeUndefined()
    const { root, task } = given
    const runs = await root.call(listTaskRuns, { params: { id: task.id }, query: {} })
    expect(runs.body).toMatchObject([{ status: 'passing', more_info }])
    const [run] = runs.body
    const { body } = await root.call(getTaskRun, { params: { id: task.id, run: run?.id ?? 0 } })
    expect(body.actions).toMatchObject([{ stdout: printed }])
  },
)

test('a failed run, or one that prints an error, changes no custom field', async () => {
  await using given = await prepare()
  await given.prints('before')
  expect(await given.prints('after', { retcode: 1 })).toMatchObject({ status: 'failing' })
  expect(await given.prints('after', { stderr: 'oh\n' })).toMatchObject({
    status: 'failing',
    more_info: '"look" printed an error, so its result was not stored.',
  })
  expect(await given.value()).toBe('before')
})

test('a field of the site or client takes the result too, with the permission to change it', async () => {
  for (const [model, permission] of [
    ['site', 'can_manage_sites'],
    ['client', 'can_manage_clients'],
  ] as const) {
    await using given = await prepare({ model })
    const { server, root, field, task } = given
    await given.prints('Bern')
    const [client] = (await root.call(listClients, { query: {} })).body
    const owner = model === 'client' ? client : client?.sites[0]
    expect(owner?.custom_fields).toMatchObject([{ field: field.id, value: 'Bern' }])
    expect(await given.audits()).toMatchObject([{ object_type: model }])
    const permissions = ['can_list_agents', 'can_manage_autotasks', 'can_list_autotasks'] as const
    const helper = server.as(await server.given.user({ permissions: [...permissions] }))
    const params = { id: task.id }
    const refused = await helper.call(editTask, { params, body: { collector_all_output: true } })
    expect(refused.error).toMatchObject({ code: 'not_allowed' })
    expect((await helper.call(editTask, { params, body: { enabled: false } })).status).toBe(200)
    const other = server.as(await server.given.user({ permissions: [...permissions, permission] }))
    expect((await other.call(editTask, { params, body: { collector_all_output: true } })).status).toBe(200)
  }
})

test('an unknown custom field is refused, and a deleted one stores nothing', async () => {
  await using given = await prepare()
  const { root, task, field } = given
  const params = { id: task.id }
  const { error } = await root.call(editTask, { params, body: { custom_field: 4711 } })
  expect(error.fields).toEqual({ custom_field: ['This custom field does not exist.'] })
  const events: Event[] = []
  given.server.ctx.onEvent((event) => void events.push(event))
  await root.call(deleteCustomField, { params: { id: field.id } })
  expect(events).toContainEqual({ type: 'task.changed', ids: [task.id], agent_ids: [given.agent.agent_id] })
  expect((await root.call(getTask, { params })).body).toMatchObject({
    custom_field: null,
    custom_field_name: null,
  })
  expect(await given.prints('x')).toMatchObject({ status: 'passing', more_info: '' })
})
