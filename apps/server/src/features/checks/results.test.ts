import type { CheckResult, Measured } from '@muster/contract/agent/checks'
import { editAgent, getAgent } from '@muster/contract/api/agents'
import { editCheck, getCheck, resetAllChecks, resetCheck } from '@muster/contract/api/checks'
import { listClients } from '@muster/contract/api/clients'
import type { Event } from '@muster/contract/events'
import { expect, test, vi } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'

const T0 = Date.parse('2026-03-01T12:00:00.000Z')
const CPU = { check_type: 'cpuload', warning_threshold: 70, error_threshold: 90 } as const

/** A connected machine with a CPU check. Times are seconds after T0. */
async function prepare(fields: { fails_b4_alert?: number } = {}) {
  const server = await createTestServer()
  server.clock.freeze(new Date(T0 + 3_600_000).toISOString())
  const { url } = await server.listen()
  const site = await server.given.site()
  const machine = await TestAgent.enrol(server, url, site.id)
  await machine.connect({ agentTime: server.clock.now().toISOString() })
  const agent_id = machine.agentId
  const check = await server.given.check({
    agent_id,
    check_type: 'cpuload',
    settings: JSON.stringify({ warning_threshold: 70, error_threshold: 90 }),
    revision: 'cpu.1',
    // A result from an hour ago is still fresh.
    run_interval: 7200,
    ...fields,
  })
  const events: Event[] = []
  server.ctx.onEvent((event) => void events.push(event))
  const root = server.as(await server.given.user({ superuser: true }))
  const result = (at: number, measured: Measured, more: Partial<CheckResult> = {}): CheckResult => ({
    check_id: check.id,
    revision: 'cpu.1',
    at: new Date(T0 + at * 1000).toISOString(),
    measured,
    ...more,
  })
  const report = async (...results: CheckResult[]) => {
    const seq = machine.report({ kind: 'checks', results })
    await machine.next((frame) => frame.type === 'ack' && frame.seq >= seq, 0)
  }
  return {
    server,
    machine,
    check,
    events,
    root,
    result,
    report,
    cpu: (at: number, percent: number, more: Partial<CheckResult> = {}) =>
      result(at, { check_type: 'cpuload', percent }, more),
    state: async () => (await root.call(getCheck, { params: { id: check.id } })).body.check_result,
    counts: async () => (await root.call(getAgent, { params: { agent_id } })).body.checks,
    tree: async () => (await root.call(listClients, { query: {} })).body[0]?.failing_checks,
    transitions: () =>
      server.ctx.db.selectFrom('check_transitions').select(['at', 'severity']).orderBy('id').execute(),
    async [Symbol.asyncDispose]() {
      machine.cut()
      await server[Symbol.asyncDispose]()
    },
  }
}

const at = (seconds: number) => T0 / 1000 + seconds
const instant = (seconds: number) => new Date(T0 + seconds * 1000).toISOString()

test('a check turns warning, error and passing again, and so do its machine, site and client', async () => {
  await using prepared = await prepare()
  const { report, cpu, state, counts, tree, transitions, events, check, machine } = prepared
  await report(cpu(10, 50))
  expect(await state()).toMatchObject({
    status: 'passing',
    last_run: instant(10),
    more_info: '50 % in use on average',
  })
  expect(await counts()).toMatchObject({ total: 1, passing: 1, has_failing_checks: false })
  await report(cpu(20, 80))
  expect(await state()).toMatchObject({
    status: 'failing',
    alert_severity: 'warning',
    fail_count: 1,
    failing_since: instant(20),
  })
  expect(await tree()).toEqual({ error: false, warning: true })
  await report(cpu(30, 95))
  expect(await state()).toMatchObject({ alert_severity: 'error', fail_count: 2, failing_since: instant(20) })
  expect(await counts()).toMatchObject({ passing: 0, failing: 1, warning: 0, has_failing_checks: true })
  expect(await tree()).toEqual({ error: true, warning: false })
  events.length = 0
  await report(cpu(40, 96))
  const ids = { ids: [check.id], agent_ids: [machine.agentId] }
  expect(events).toEqual([{ type: 'check.changed', ...ids }])
  await report(cpu(50, 10))
  expect(events).toContainEqual({
    type: 'agent.changed',
    ids: [machine.agentId],
    agent_ids: [machine.agentId],
    passing: true,
  })
  expect(await state()).toMatchObject({ status: 'passing', fail_count: 0, failing_since: null })
  expect(await tree()).toEqual({ error: false, warning: false })
  expect(await transitions()).toEqual([
    { at: at(20), severity: 'warning' },
    { at: at(30), severity: 'error' },
    { at: at(50), severity: null },
  ])
})

test('spec, fails_b4_alert: a check keeps its state until enough consecutive runs have failed', async () => {
  await using prepared = await prepare({ fails_b4_alert: 3 })
  const { report, cpu, state, transitions } = prepared
  await report(cpu(10, 95), cpu(20, 95))
  expect(await state()).toMatchObject({ status: 'pending', fail_count: 2 })
  await report(cpu(30, 50), cpu(40, 95), cpu(50, 95))
  expect(await state()).toMatchObject({ status: 'passing', fail_count: 2 })
  await report(cpu(60, 80))
  expect(await state()).toMatchObject({ status: 'failing', alert_severity: 'warning', fail_count: 3 })
  expect(await transitions()).toEqual([{ at: at(60), severity: 'warning' }])
})

test('results of an outage count in the order in which they were measured', async () => {
  await using prepared = await prepare()
  const { report, cpu, state, transitions } = prepared
  await report(cpu(50, 20), cpu(10, 95), cpu(30, 95))
  expect(await transitions()).toEqual([
    { at: at(10), severity: 'error' },
    { at: at(50), severity: null },
  ])
  await report(cpu(40, 99), cpu(50, 99))
  expect(await state()).toMatchObject({ status: 'passing', last_run: instant(50) })
  expect(await transitions()).toHaveLength(2)
})

test('results from the future, of other machines, of other types and of unknown checks change nothing', async () => {
  await using prepared = await prepare()
  const { server, report, cpu, result, state } = prepared
  const foreign = await server.given.check()
  await report(
    cpu(3600 + 61, 95),
    cpu(10, 95, { check_id: foreign.id }),
    cpu(10, 95, { check_id: 99_999 }),
    cpu(10, 95, { check_id: -5 }),
    cpu(10, 95, { check_id: Number.MAX_SAFE_INTEGER }),
    cpu(10, 95, { revision: 'other.1' }),
    result(10, { check_type: 'process', count: 1, memory_bytes: 1 }),
  )
  expect(await state()).toMatchObject({ status: 'pending', last_run: null })
  expect(await server.ctx.db.selectFrom('check_results').selectAll().execute()).toEqual([])
  await report(cpu(3600 + 30, 20, { revision: 'cpu.2' }))
  expect(await state()).toMatchObject({ status: 'passing', last_run: instant(3630) })
})

test('a failed measurement shows its reason', async () => {
  await using prepared = await prepare()
  const { report, result, state } = prepared
  await report(result(10, { check_type: 'unmeasurable', reason: '<img onerror=alert(1)>\u0000' }))
  expect(await state()).toMatchObject({ status: 'failing', alert_severity: 'error' })
  expect((await state()).more_info).toMatch(/^<img onerror=alert\(1\)>/)
})

test('a check that its machine cannot measure does not fail, and alerts about the machine', async () => {
  await using prepared = await prepare({ fails_b4_alert: 2 })
  const { server, report, result, cpu, state, counts, tree, transitions } = prepared
  const reason = 'ping is missing on this machine. To install it: apt-get install iputils-ping'
  const lost = (at: number) => result(at, { check_type: 'unmeasurable', reason, not_measured: true })
  const alerts = () =>
    server.ctx.db.selectFrom('alerts').select(['severity', 'message', 'state']).orderBy('id').execute()
  await report(lost(10))
  expect(await state()).toMatchObject({ status: 'pending', more_info: `Not measured: ${reason}` })
  expect(await alerts()).toEqual([])
  await report(lost(20))
  expect(await state()).toMatchObject({ status: 'not_measured', alert_severity: null, failing_since: null })
  expect(await counts()).toMatchObject({ total: 1, pending: 1, failing: 0, warning: 0 })
  expect(await tree()).toEqual({ error: false, warning: false })
  expect(await transitions()).toEqual([])
  const [alert] = await alerts()
  expect(alert).toMatchObject({ severity: 'warning', message: `CPU load: Not measured: ${reason}` })
  // Nothing was known about the target, so its first failure is the first of two.
  await report(cpu(30, 99))
  expect(await state()).toMatchObject({ status: 'pending', alert_severity: null, fail_count: 1 })
  expect(await alerts()).toMatchObject([{ state: 'resolved' }])
  await report(cpu(40, 99))
  expect(await state()).toMatchObject({ status: 'failing', alert_severity: 'error' })
  await report(lost(50))
  expect(await state()).toMatchObject({ status: 'not_measured', alert_severity: null })
  const [, open, ...others] = await alerts()
  expect(others).toEqual([])
  expect(open).toMatchObject({ severity: 'warning', message: `CPU load: Not measured: ${reason}` })
  expect(open?.state).not.toBe('resolved')
  await report(cpu(60, 5))
  expect(await state()).toMatchObject({ status: 'passing', fail_count: 0 })
  expect((await alerts()).map(({ state: one }) => one)).toEqual(['resolved', 'resolved'])
})

test('new thresholds apply at once to the last measurement', async () => {
  await using prepared = await prepare()
  const { server, report, cpu, state, transitions, counts, root, check } = prepared
  const edit = (thresholds: object, fails_b4_alert = 1) =>
    root.call(editCheck, {
      params: { id: check.id },
      body: { settings: { ...CPU, ...thresholds }, fails_b4_alert, run_interval: 7200 },
    })
  await report(cpu(10, 80), cpu(20, 80))
  await edit({ warning_threshold: 85 })
  expect(await state()).toMatchObject({ status: 'passing', fail_count: 0, last_run: instant(20) })
  expect(await counts()).toMatchObject({ passing: 1, warning: 0 })
  await edit({ warning_threshold: 60, error_threshold: 75 })
  const now = server.clock.now().toISOString()
  expect(await state()).toMatchObject({ alert_severity: 'error', fail_count: 1, failing_since: now })
  await edit({ warning_threshold: 60, error_threshold: 75 }, 3)
  expect(await state()).toMatchObject({ status: 'passing', fail_count: 1, failing_since: null })
  expect((await transitions()).map(({ severity }) => severity)).toEqual(['warning', null, 'error', null])
})

test('a check with a new subject is pending', async () => {
  await using prepared = await prepare()
  const { server, root, machine } = prepared
  const disk = await server.given.check({
    agent_id: machine.agentId,
    check_type: 'diskspace',
    settings: JSON.stringify({
      disk: '/a',
      threshold_unit: 'percent',
      warning_threshold: 25,
      error_threshold: 10,
    }),
    revision: 'old.1',
  })
  const space = { exists: true, total_bytes: 100, free_bytes: 5, inodes_total: null, inodes_free: null }
  await prepared.report(
    prepared.result(10, { check_type: 'diskspace', ...space }, { check_id: disk.id, revision: 'old.1' }),
  )
  const state = async () => (await root.call(getCheck, { params: { id: disk.id } })).body.check_result
  expect(await state()).toMatchObject({ status: 'failing', alert_severity: 'error' })
  await root.call(editCheck, {
    params: { id: disk.id },
    body: { settings: { check_type: 'diskspace', disk: '/b' } },
  })
  expect(await state()).toMatchObject({ status: 'pending', more_info: '' })
})

test('free space is a share of what programs can use; older agents count the reserve as used', async () => {
  await using prepared = await prepare()
  const { server, root, machine } = prepared
  const settings = { disk: '/a', threshold_unit: 'percent', warning_threshold: 70, error_threshold: 10 }
  const disk = await server.given.check({
    agent_id: machine.agentId,
    check_type: 'diskspace',
    settings: JSON.stringify(settings),
    revision: 'old.1',
  })
  const sizes = { total_bytes: 100, free_bytes: 60, inodes_total: null, inodes_free: null }
  const report = async (seconds: number, more: { used_bytes?: number }) => {
    const measured = { check_type: 'diskspace', exists: true, ...sizes, ...more } as const
    await prepared.report(prepared.result(seconds, measured, { check_id: disk.id, revision: 'old.1' }))
    return (await root.call(getCheck, { params: { id: disk.id } })).body.check_result
  }
  expect(await report(10, { used_bytes: 20 })).toMatchObject({
    status: 'passing',
    more_info: '60 B of 80 B free (75 %)',
  })
  expect(await report(20, {})).toMatchObject({
    alert_severity: 'warning',
    more_info: '60 B of 100 B free (60 %)',
  })
})

test('a reset check is pending until it runs again', async () => {
  await using prepared = await prepare()
  const { report, cpu, state, root, check, machine, transitions, counts } = prepared
  await report(cpu(10, 95))
  const reset = await root.call(resetCheck, { params: { id: check.id } })
  expect(reset.body.check_result).toMatchObject({ status: 'pending', last_run: null, fail_count: 0 })
  expect(await counts()).toMatchObject({ total: 1, failing: 0, has_failing_checks: false })
  expect((await transitions()).map(({ severity }) => severity)).toEqual(['error', null])
  const all = () => root.call(resetAllChecks, { params: { agent_id: machine.agentId } })
  expect((await all()).body).toEqual({ changed: 0 })
  await report(cpu(20, 95))
  expect((await all()).body).toEqual({ changed: 1 })
  expect(await state()).toMatchObject({ status: 'pending' })
})

test('a machine in maintenance does not colour its site', async () => {
  await using prepared = await prepare()
  const { report, cpu, root, machine, tree } = prepared
  await report(cpu(10, 95))
  expect(await tree()).toEqual({ error: true, warning: false })
  await root.call(editAgent, { params: { agent_id: machine.agentId }, body: { maintenance_mode: true } })
  await vi.waitFor(async () => expect(await tree()).toEqual({ error: false, warning: false }))
})

test('deleting a machine or a check deletes its results', async () => {
  await using prepared = await prepare()
  const { server, report, cpu } = prepared
  await report(cpu(10, 95))
  await server.ctx.db.deleteFrom('agents').execute()
  for (const table of ['checks', 'check_results', 'check_transitions'] as const) {
    expect(await server.ctx.db.selectFrom(table).selectAll().execute()).toEqual([])
  }
})

test('the entries of a log are shown as the output of its check', async () => {
  await using prepared = await prepare()
  const { server, report, root, check } = prepared
  const log = await server.given.check({
    agent_id: check.agent_id,
    check_type: 'journal',
    settings: JSON.stringify({
      name: 'Disks',
      fail_when: 'contains',
      number_of_events_b4_alert: 1,
      alert_severity: 'info',
      unit: null,
      priority: 'err',
      event_message: null,
      search_last_minutes: 60,
    }),
    revision: 'log.1',
  })
  const entry = { at: instant(5), source: 'kernel', event_id: '', message: 'I/O error <b>' }
  await report({
    check_id: log.id,
    revision: 'log.1',
    at: instant(10),
    measured: { check_type: 'journal', count: 1, is_whole: true, entries: [entry] },
  })
  const { body } = await root.call(getCheck, { params: { id: log.id } })
  expect(body.readable_desc).toBe('Journal Disks')
  expect(body.check_result).toMatchObject({
    status: 'failing',
    alert_severity: 'info',
    more_info: '1 matching entry in the last 1 h, the newest: I/O error <b>',
    stdout: `${instant(5)}  kernel  I/O error <b>`,
  })
})
