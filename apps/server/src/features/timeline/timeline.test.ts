import type { AgentFacts } from '@muster/contract/agent/facts'
import { getTimeline, MAX_OF_KIND } from '@muster/contract/api/timeline'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { audit } from '../audit/write-audit.ts'
import { MAX_CHANGES, storeChanges } from '../agents/fact-changes.ts'
import { storeFacts } from '../agents/store-facts.ts'
import { storeMetrics } from '../metrics/store-metrics.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z') / 1000
const instant = (seconds: number) => new Date((NOW + seconds) * 1000).toISOString()

async function prepare() {
  const server = await createTestServer()
  server.clock.freeze(instant(0))
  const { ctx, given } = server
  const check = await given.check({
    check_type: 'cpuload',
    settings: JSON.stringify({ warning_threshold: 70, error_threshold: 90 }),
  })
  const { agent_id } = check
  const fail = (at: number, severity: 'error' | 'warning' | null) =>
    ctx.db
      .insertInto('check_transitions')
      .values({ check_id: check.id, agent_id, at: NOW + at, severity })
      .execute()
  return {
    server,
    ctx,
    given,
    check,
    agentId: agent_id,
    root: server.as(await given.user({ username: 'ada', superuser: true })),
    fail,
    query: (from: number, to: number) => ({
      params: { agent_id },
      query: { from: NOW + from, to: NOW + to },
    }),
    uptime: (at: number, seconds: number) =>
      ctx.transaction((tx) =>
        storeMetrics(tx, ctx, [
          { agentId: agent_id, sample: { at: instant(at), values: { uptime: seconds } } },
        ]),
      ),
    run: (at: number, retcode: number, more: object = {}) =>
      ctx.db
        .insertInto('agent_history')
        .values({
          agent_id,
          time: instant(at),
          started_at: instant(at + 1),
          finished_at: instant(at + 5),
          type: 'cmd_run',
          state: 'done',
          command: 'uptime',
          shell: 'bash',
          username: 'ada',
          timeout_seconds: 30,
          expires_at: instant(at + 60),
          command_name: 'run-command',
          command_input: '',
          nonce: `n${at}`,
          retcode,
          ...more,
        })
        .execute(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('one timeline per machine shows checks, alerts, commands, reboots and changes, newest first', async () => {
  await using prepared = await prepare()
  const { ctx, root, fail, run, uptime, query, agentId, check } = prepared
  await fail(-500, 'error')
  await fail(-400, null)
  await fail(-100, 'warning')
  await run(-300, 1)
  await uptime(-250, 90_000)
  await uptime(-190, 40)
  const alert = {
    cause: 'custom:x',
    open_cause: 'custom:x',
    alert_type: 'custom' as const,
    state: 'open' as const,
    severity: 'info' as const,
    message: 'A delivery',
    acknowledged_by: '',
    resolved_by: '',
    flapping: 0 as const,
    created_at: instant(-50),
    modified: instant(-50),
  }
  await ctx.db
    .insertInto('alerts')
    .values({ ...alert, agent_id: agentId, alert_time: instant(-50) })
    .execute()
  const caller = { username: 'ada', source: '127.0.0.1' }
  const agent = { agent_id: agentId }
  const message = 'Changed the machine "x"'
  await audit(ctx.db, {
    caller,
    action: 'modify',
    object_type: 'agent',
    message,
    agent,
    at: new Date(instant(0)),
  })
  await audit(ctx.db, {
    caller,
    action: 'execute_command',
    object_type: 'agent',
    message,
    agent,
    at: new Date(instant(0)),
  })
  const { entries, cut } = (await root.call(getTimeline, query(-600, 0))).body
  expect(cut).toEqual([])
  expect(entries.map(({ kind, from, to, severity, by }) => [kind, from - NOW, to && to - NOW, severity, by])).toEqual([
    ['change', 0, 0, null, 'ada'],
    ['alert', -50, null, 'info', ''],
    ['check', -100, null, 'warning', ''],
    ['reboot', -230, -230, null, ''],
    ['run', -299, -295, 'error', 'ada'],
    ['check', -500, -400, 'error', ''],
  ]) // prettier-ignore
  expect(entries.find(({ kind }) => kind === 'check')).toMatchObject({ id: check.id, text: 'CPU load' }) // prettier-ignore
})

test('events that last into the range are shown, earlier ones are not', async () => {
  await using prepared = await prepare()
  const { root, fail, query } = prepared
  await fail(-900, 'error')
  await fail(-800, null)
  await fail(-700, 'warning')
  await fail(-100, null)
  const { entries } = (await root.call(getTimeline, query(-600, 0))).body
  expect(entries.map(({ from, to }) => [from - NOW, to && to - NOW])).toEqual([[-700, -100]])
})

test('without the permission for checks, alerts, runs or the audit log these are not shown', async () => {
  await using prepared = await prepare()
  const { server, given, fail, run, query } = prepared
  await fail(-100, 'error')
  await run(-200, 0)
  const watcher = server.as(await given.user({ permissions: ['can_list_agents', 'can_list_agent_history'] }))
  const { entries } = (await watcher.call(getTimeline, query(-600, 0))).body
  expect(entries.map(({ kind, severity }) => [kind, severity])).toEqual([['run', null]])
  const stranger = server.as(await given.user({ permissions: ['can_list_agents'], clients: [] }))
  expect(
    (await stranger.call(getTimeline, { ...query(-600, 0), params: { agent_id: 'nobodyhere' } })).status,
  ).toBe(404)
})

test('the newest of a thousand runs are shown, with a sign that there are more', async () => {
  await using prepared = await prepare()
  const { root, run, query } = prepared
  for (let at = -1000; at < 0; at += 4) await run(at, 0)
  const { entries, cut } = (await root.call(getTimeline, query(-2000, 0))).body
  expect(entries).toHaveLength(MAX_OF_KIND)
  expect(entries[0]?.from).toBe(NOW - 3)
  expect(cut).toEqual(['run'])
  const far = await root.call(getTimeline, {
    ...query(0, 0),
    query: { from: 0, to: Number.MAX_SAFE_INTEGER },
  })
  expect(far.body.entries).toHaveLength(MAX_OF_KIND)
})

test('maintenance, runs of tasks and dropped results are shown with the right permission', async () => {
  await using prepared = await prepare()
  const { server, ctx, given, root, query, agentId } = prepared
  await ctx.db
    .insertInto('maintenance_periods')
    .values({ agent_id: agentId, started_at: NOW - 900, ended_at: NOW - 300, reason: 'New disks' })
    .execute()
  await ctx.db
    .insertInto('dropped_results')
    .values({ agent_id: agentId, from_at: NOW - 200, to_at: NOW - 100, count: 7 })
    .execute()
  const task = await given.task({ agent_id: agentId, name: 'Back up' })
  await ctx.db
    .insertInto('task_runs')
    .values({
      task_id: task.id,
      run_id: 'r1',
      state: 'ended',
      trigger: 'schedule',
      status: 'failing',
      planned_at: null,
      started_at: instant(-50),
      ended_at: instant(-40),
      retcode: 1,
      execution_time: 10,
      more_info: '',
      missed: 0,
      actions: '[]',
    })
    .execute()
  const entriesOf = async (client: typeof root) =>
    (await client.call(getTimeline, query(-600, 0))).body.entries.map(({ kind, from, to, text, id }) => [
      kind,
      from - NOW,
      to && to - NOW,
      text,
      id,
    ])
  const maintenance = ['maintenance', -900, -300, 'Maintenance mode was on: New disks', null]
  expect(await entriesOf(root)).toEqual([
    ['task', -50, -40, 'Back up', task.id],
    ['dropped', -200, -100, '7 check results dropped: the server was unreachable for too long', null],
    maintenance,
  ]) // prettier-ignore
  const watcher = server.as(await given.user({ permissions: ['can_list_agents'] }))
  expect(await entriesOf(watcher)).toEqual([maintenance])
})

test('changes of software and hardware are shown as reported by the machine', async () => {
  await using prepared = await prepare()
  const { server, ctx, root, query, agentId } = prepared
  const report = (at: number, facts: Partial<AgentFacts>) =>
    ctx.transaction((tx) =>
      storeFacts(tx, new Date((NOW + at) * 1000), new Map([[agentId, [{ kind: 'facts', facts }]]])),
    )
  const linux = { os_name: 'Debian GNU/Linux', os_version: '12.1', agent_version: '0.1.0' }
  await report(-500, { ...linux, total_ram: 7.68 * 1024 ** 3, logged_in_user: 'ada' })
  // Another kernel reserves another part of the memory.
  await report(-400, { os_version: '12.2', total_ram: 7.62 * 1024 ** 3, logged_in_user: null, boot_time: 7 })
  await report(-300, { ...linux, os_version: '12.2', total_ram: 16 * 1024 ** 3 })
  await report(-200, { agent_version: '0.2.0\0<b>' })
  const volumes = (state: 'on' | 'off' | 'unknown') =>
    ['on' as const, state].map((each, at) => ({
      subject: 'disk_encryption' as const,
      name: `${'CD'[at]}:`,
      state: each,
      detail: '',
    }))
  // A protection that could not be read is no change.
  for (const [at, state] of [
    [-190, 'unknown'],
    [-180, 'on'],
    [-170, 'off'],
  ] as const)
    await report(at, { security: volumes(state) })
  const { entries } = (await root.call(getTimeline, query(-1000, 0))).body
  expect(entries.map(({ kind, from, text }) => [kind, from - NOW, text])).toEqual([
    ['system', -170, 'Disk encryption: C: on, D: on → C: on, D: off'],
    ['system', -200, 'Agent: 0.1.0 → 0.2.0\uFFFD<b>'],
    ['system', -300, 'Memory: 7.62 GB → 16 GB'],
    ['system', -400, 'Operating system: Debian GNU/Linux 12.1 → Debian GNU/Linux 12.2'],
  ])
  expect((await root.call(getTimeline, query(-450, -350))).body.entries).toHaveLength(1)
  await server.ctx.db.deleteFrom('agents').where('agent_id', '=', agentId).execute()
  expect(await ctx.db.selectFrom('machine_changes').selectAll().execute()).toEqual([])
})

test('a machine that always reports something else keeps its newest changes only', async () => {
  await using prepared = await prepare()
  const { ctx, agentId } = prepared
  const texts = Array.from({ length: 120 }, (_, index) => `Agent: ${index}`)
  for (let round = 0; round < 5; round++) {
    await ctx.transaction((tx) => storeChanges(tx, { agentId, at: NOW + round, texts }))
  }
  const kept = await ctx.db.selectFrom('machine_changes').select(['at', 'text']).orderBy('id').execute()
  expect(kept).toHaveLength(MAX_CHANGES)
  expect(kept[0]).toMatchObject({ text: 'Agent: 100' })
})

test('remote sessions are shown with the permission to view the audit log', async () => {
  await using prepared = await prepare()
  const { ctx, given, server, root, query, agentId } = prepared
  const session = (id: string, from: number, to: number | null) => ({
    id,
    agent_id: agentId,
    tool: 'terminal' as const,
    user_id: 1,
    username: 'ada',
    ip_address: '127.0.0.1',
    session_digest: 'd',
    started_at: instant(from),
    ended_at: to === null ? null : instant(to),
    exit_code: null,
    reason: null,
  })
  const sessions = [session('a', -900, -800), session('b', -500, -300), session('c', -100, null)]
  await ctx.db.insertInto('remote_sessions').values(sessions).execute()
  const { body } = await root.call(getTimeline, query(-400, 0))
  expect(body.entries).toMatchObject([
    { kind: 'remote', from: NOW - 100, to: null, text: 'Opened a terminal', by: 'ada' },
    { kind: 'remote', from: NOW - 500, to: NOW - 300, text: 'Opened a terminal', by: 'ada' },
  ])
  const other = server.as(await given.user({ permissions: ['can_list_agents'] }))
  expect((await other.call(getTimeline, query(-400, 0))).body.entries).toEqual([])
})
