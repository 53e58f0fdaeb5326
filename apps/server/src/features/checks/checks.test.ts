import { getAgent } from '@muster/contract/api/agents'
import {
  type Check,
  type CheckSettings,
  createCheck,
  deleteCheck,
  editCheck,
  getCheck,
  listAgentChecks,
  listChecks,
  resetAllChecks,
  resetCheck,
  runChecks,
} from '@muster/contract/api/checks'
import type { Event } from '@muster/contract/events'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import type { TestAnswer } from '../../testing/test-client.ts'
import { createTestServer } from '../../testing/test-server.ts'

const PING = { check_type: 'ping', name: 'Router', ip: '192.0.2.1', alert_severity: 'error' } as const
const CPU = { check_type: 'cpuload', warning_threshold: 70, error_threshold: 90 } as const

async function prepare() {
  const server = await createTestServer()
  const events: Event[] = []
  server.ctx.onEvent((event) => void events.push(event))
  const agent = await server.given.agent({ hostname: 'PC-12' })
  const ada = server.as(await server.given.user({ username: 'ada', permissions: PERMISSIONS }))
  const version = async () =>
    (
      await server.ctx.db
        .selectFrom('agents')
        .select('checks_version')
        .where('agent_id', '=', agent.agent_id)
        .executeTakeFirstOrThrow()
    ).checks_version
  return {
    server,
    events,
    agent,
    ada,
    version,
    add: (settings: CheckSettings, more = {}) =>
      // Belongs to a machine, not to a policy.
      ada.call(createCheck, { body: { agent: agent.agent_id, settings, ...more } }) as Promise<
        TestAnswer<Check>
      >,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('checks of a machine are added, listed, changed and deleted', async () => {
  await using prepared = await prepare()
  const { server, agent, ada, add, events, version } = prepared
  const { body: cpu } = await add(CPU, { fails_b4_alert: 2 })
  expect(cpu).toMatchObject({
    agent_id: agent.agent_id,
    settings: CPU,
    readable_desc: 'CPU load',
    fails_b4_alert: 2,
    run_interval: 0,
    check_result: { status: 'pending', last_run: null, fail_count: 0 },
  })
  const { body: ping } = await add(PING)
  const params = { agent_id: agent.agent_id }
  const list = async () => (await ada.call(listAgentChecks, { params, query: {} })).body
  expect((await list()).map(({ id }) => id)).toEqual([cpu.id, ping.id])
  expect(await version()).toBe(2)
  const changed = await ada.call(editCheck, {
    params: { id: cpu.id },
    body: { settings: { ...CPU, warning_threshold: 0 }, run_interval: 30 },
  })
  expect(changed.body).toMatchObject({
    readable_desc: 'CPU load',
    fails_b4_alert: 2,
    run_interval: 30,
  })
  expect((await ada.call(getCheck, { params: { id: cpu.id } })).body).toEqual(changed.body)
  expect((await ada.call(deleteCheck, { params: { id: ping.id } })).body).toBeNull()
  expect(await list()).toEqual([changed.body])
  expect((await ada.call(listChecks, { query: {} })).body).toEqual([changed.body])
  expect((await ada.call(getAgent, { params })).body.checks).toMatchObject({ total: 1, passing: 0 })
  expect(await version()).toBe(4)
  expect(events).toContainEqual({ type: 'check.changed', ids: [ping.id], agent_ids: [agent.agent_id] })
  const audit = await server.ctx.db.selectFrom('audit_log').selectAll().orderBy('id').execute()
  expect(audit.map((row) => [row.action, row.object_type, row.agent_id])).toEqual(
    ['add', 'add', 'modify', 'delete'].map((action) => [action, 'check', agent.agent_id]),
  )
  expect(JSON.parse(audit[2]?.before_value ?? '')).toMatchObject({ warning_threshold: 70, run_interval: 0 })
  expect(JSON.parse(audit[2]?.after_value ?? '')).toMatchObject({ warning_threshold: 0, run_interval: 30 })
})

test('spec, thresholds: invalid thresholds are refused with the sentence of the specification', async () => {
  await using prepared = await prepare()
  const { add } = prepared
  const disk = { check_type: 'diskspace', disk: '/', threshold_unit: 'percent' } as const
  const cases: [CheckSettings, string][] = [
    [
      { ...CPU, warning_threshold: 0, error_threshold: 0 },
      'Warning Threshold or Error Threshold need to be set',
    ],
    [{ ...CPU, warning_threshold: 90 }, 'Warning Threshold must be less than Error Threshold'],
    [
      { ...disk, warning_threshold: 10, error_threshold: 10 },
      'Warning Threshold must be more than Error Threshold',
    ],
    [{ ...disk, warning_threshold: 100, error_threshold: 10 }, 'At most 99 percent.'],
    [
      { ...disk, threshold_unit: 'inodes', warning_threshold: 100, error_threshold: 10 },
      'At most 99 percent.',
    ],
  ]
  for (const [settings, message] of cases) {
    const { error } = await add(settings)
    expect(error).toMatchObject({
      code: 'invalid',
      fields: { 'settings.warning_threshold': [message] },
    })
  }
  const large = {
    ...disk,
    threshold_unit: 'gigabytes',
    warning_threshold: 200,
    error_threshold: 100,
  } as const
  expect((await add(large)).status).toBe(200)
})

test('spec, number check: the event ID of a check is * or a number, surrounding spaces are ignored', async () => {
  await using prepared = await prepare()
  const { server, agent, ada } = prepared
  await server.ctx.db.updateTable('agents').set({ plat: 'windows' }).execute()
  let name = 0
  const add = (fields: Record<string, unknown>, nested = true) => {
    const own = {
      check_type: 'eventlog',
      name: `Events ${name++}`,
      event_source: `source ${name}`,
      ...fields,
    }
    const body = nested ? { agent: agent.agent_id, settings: own } : { agent_id: agent.agent_id, ...own }
    return ada.send({ method: 'POST', url: '/checks/', body })
  }
  const taken: [Record<string, unknown>, Record<string, unknown>][] = [
    [{}, { event_id: 0, event_id_is_wildcard: true }],
    [{ event_id: ' * ' }, { event_id: 0, event_id_is_wildcard: true }],
    [
      { event_id: '*', event_id_is_wildcard: false },
      { event_id: 0, event_id_is_wildcard: true },
    ],
    [{ event_id: ' 70 34\t' }, { event_id: 7034, event_id_is_wildcard: false }],
    [{ event_id: 7034 }, { event_id: 7034, event_id_is_wildcard: false }],
    [
      { event_id: 7034, event_id_is_wildcard: true },
      { event_id: 7034, event_id_is_wildcard: true },
    ],
  ]
  for (const [sent, stored] of taken) {
    for (const nested of [true, false])
      expect((await add(sent, nested)).body).toMatchObject({ settings: stored })
  }
  for (const event_id of ['', ' ', '**', '46a', '4,625', '0x10', '-1', '1.5', '65536', 65_536, 1.5, null]) {
    const { status, error } = await add({ event_id })
    expect(status, `${event_id}`).toBe(400)
    expect(error).toMatchObject({
      fields: { 'settings.event_id': ['Use * for every event, or a number from 0 to 65535.'] },
    })
  }
})

test('a machine has one CPU, memory and swap check, and one space and inode check per disk', async () => {
  await using prepared = await prepare()
  const { server, ada, add } = prepared
  const memory = { ...CPU, check_type: 'memory', memory_kind: 'memory' } as const
  const disk = { check_type: 'diskspace', threshold_unit: 'percent' } as const
  const limits = { warning_threshold: 25, error_threshold: 10 }
  const all: CheckSettings[] = [
    CPU,
    memory,
    { ...memory, memory_kind: 'swap' },
    { ...disk, disk: '/', ...limits },
    { ...disk, disk: '/mnt/a', ...limits },
    { ...disk, disk: '/mnt/a', threshold_unit: 'inodes', ...limits },
    PING,
    PING,
  ]
  for (const settings of all) expect((await add(settings)).status).toBe(200)
  const taken: [CheckSettings, string][] = [
    [CPU, 'This machine already has a CPU load check.'],
    [memory, 'This machine already has a memory check.'],
    [{ ...memory, memory_kind: 'swap' }, 'This machine already has a swap check.'],
    [{ ...disk, disk: '/mnt/a/', ...limits }, 'This machine already has a disk space check for /mnt/a/.'],
    [
      { ...disk, disk: '/mnt/a', threshold_unit: 'inodes', ...limits },
      'This machine already has an inode check for /mnt/a.',
    ],
  ]
  for (const [settings, sentence] of taken) {
    expect((await add(settings)).error).toMatchObject({ code: 'conflict', detail: sentence })
  }
  const other = await server.given.agent()
  const elsewhere = await ada.call(createCheck, { body: { agent: other.agent_id, settings: CPU } })
  expect(elsewhere.status).toBe(200)
})

test('a save over a concurrent change is refused and names its author', async () => {
  await using prepared = await prepare()
  const { server, ada, add } = prepared
  const { body: check } = await add(CPU)
  const bob = server.as(await server.given.user({ username: 'bob', permissions: PERMISSIONS }))
  const edit = { params: { id: check.id }, body: { settings: CPU, modified: check.modified } }
  expect((await bob.call(editCheck, edit)).status).toBe(200)
  expect((await ada.call(editCheck, edit)).error).toMatchObject({
    code: 'changed_meanwhile',
    detail: `"${check.readable_desc}" of PC-12 was changed by bob. Reload it and try again.`,
  })
  const turned = await ada.call(editCheck, { params: { id: check.id }, body: { settings: PING } })
  expect(turned.error.fields).toHaveProperty(['settings.check_type'])
})

test('one of many concurrent saves succeeds', async () => {
  await using prepared = await prepare()
  const { ada, add } = prepared
  const { body: check } = await add(CPU)
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      ada.call(editCheck, {
        params: { id: check.id },
        body: { settings: { ...CPU, warning_threshold: index + 1 }, modified: check.modified },
      }),
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(7)
})

test('a script check runs a library script, and is pending after it is deleted', async () => {
  await using prepared = await prepare()
  const { server, agent, ada, add, version } = prepared
  const script = await server.given.script({ name: 'Backup age' })
  const windows = await server.given.script({ name: 'Win', supported_platforms: '["windows"]' })
  const settings = (id: number): CheckSettings => ({
    check_type: 'script',
    script: id,
    script_args: [],
    env_vars: ['PASSWORD=secret'],
    timeout: 60,
    info_return_codes: [],
    warning_return_codes: [],
    success_return_codes: [],
    metric_thresholds: [],
  })
  expect((await add(settings(windows.id))).error.detail).toBe(
    'Win does not support Linux. Choose another script.',
  )
  expect((await add(settings(9999))).error.fields).toHaveProperty(['settings.script'])
  const { body: check } = await add(settings(script.id))
  expect(check).toMatchObject({ readable_desc: 'Script Backup age', script_name: 'Backup age' })
  const root = server.as(await server.given.user({ superuser: true }))
  const before = await version()
  expect((await root.send({ method: 'DELETE', url: `/scripts/${script.id}/` })).status).toBe(200)
  expect(await version()).toBe(before + 1)
  expect((await ada.call(getCheck, { params: { id: check.id } })).body).toMatchObject({
    script_name: null,
    check_result: { status: 'pending' },
  })
  const audit = await server.ctx.db
    .selectFrom('audit_log')
    .select('after_value')
    .where('object_type', '=', 'check')
    .where('agent_id', '=', agent.agent_id)
    .executeTakeFirstOrThrow()
  expect(audit.after_value).not.toContain('secret')
})

test('checks of invisible machines do not exist', async () => {
  await using prepared = await prepare()
  const { server, agent, add } = prepared
  const { body: check } = await add(PING)
  const { client_id } = await server.given.site()
  const stranger = server.as(await server.given.user({ permissions: PERMISSIONS, clients: [client_id] }))
  const params = { id: check.id }
  const machine = { agent_id: agent.agent_id }
  const refusals = [
    await stranger.call(listAgentChecks, { params: machine, query: {} }),
    await stranger.call(createCheck, { body: { agent: agent.agent_id, settings: PING } }),
    await stranger.call(getCheck, { params }),
    await stranger.call(editCheck, { params, body: { settings: PING } }),
    await stranger.call(deleteCheck, { params }),
    await stranger.call(resetCheck, { params }),
    await stranger.call(resetAllChecks, { params: machine }),
    await stranger.call(runChecks, { params: machine, body: {} }),
  ]
  expect(refusals.map(({ status }) => status)).toEqual(refusals.map(() => 404))
  expect((await stranger.call(listChecks, { query: {} })).body).toEqual([])
})
