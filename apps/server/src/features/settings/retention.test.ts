import { editCoreSettings, getCoreSettings } from '@muster/contract/api/settings'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { removeOldAlerts } from '../alerts/jobs.ts'
import { removeOldEntries } from '../audit/jobs.ts'
import { removeOldRuns } from '../runs/jobs.ts'

const NOW = Date.parse('2026-03-20T12:00:00.000Z')
const daysAgo = (days: number) => new Date(NOW - days * 86_400_000).toISOString()

async function prepare() {
  const server = await createTestServer()
  server.clock.freeze(new Date(NOW).toISOString())
  const { agent_id } = await server.given.agent()
  const root = server.as(await server.given.user({ superuser: true }))
  await server.ctx.jobs.drain()
  const { db } = server.ctx
  return {
    server,
    db,
    root,
    addEntries: async (ages: number[]) => {
      const row = {
        username: 'ada',
        action: 'modify',
        object_type: 'client',
        message: '',
        ip_address: '',
      } as const
      await db
        .insertInto('audit_log')
        .values(ages.map((age) => ({ ...row, message: `entry of day ${age}`, entry_time: daysAgo(age) })))
        .execute()
    },
    addRun: async (state: 'done' | 'failed' | 'queued' | 'running', started: number, ended?: number) => {
      const { id } = await db
        .insertInto('agent_history')
        .values({
          agent_id,
          state,
          type: 'cmd_run',
          command: 'uptime',
          shell: 'bash',
          username: 'ada',
          nonce: '',
          command_name: 'run-command',
          command_input: '',
          timeout_seconds: 30,
          time: daysAgo(started),
          expires_at: daysAgo(started - 900),
          finished_at: ended === undefined ? null : daysAgo(ended),
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      const chunk = { history_id: id, stream: 'stdout', text: 'up' } as const
      await db
        .insertInto('history_output')
        .values([1, 2, 3].map((number) => ({ ...chunk, chunk: number })))
        .execute()
      return id
    },
    addAlert: async (state: 'open' | 'resolved', opened: number, resolved?: number) => {
      const cause = `test:${opened}:${resolved}`
      const { id } = await db
        .insertInto('alerts')
        .values({
          cause,
          open_cause: state === 'resolved' ? null : cause,
          alert_type: 'custom',
          state,
          agent_id,
          severity: 'error',
          message: 'Old',
          created_at: daysAgo(opened),
          modified: daysAgo(opened),
          alert_time: daysAgo(opened),
          resolved_on: resolved === undefined ? null : daysAgo(resolved),
          acknowledged_by: '',
          resolved_by: '',
          flapping: 0,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      await db
        .insertInto('alert_log')
        .values({ alert_id: id, at: daysAgo(opened), kind: 'opened', by_user: '', text: '' })
        .execute()
      return id
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const runIds = async ({ ctx }: TestServer) =>
  (await ctx.db.selectFrom('agent_history').select('id').orderBy('id').execute()).map(({ id }) => id)
const alertIds = async ({ ctx }: TestServer) =>
  (await ctx.db.selectFrom('alerts').select('id').orderBy('id').execute()).map(({ id }) => id)

test('the nightly jobs delete old runs, resolved alerts and audit entries, and keep open ones', async () => {
  await using prepared = await prepare()
  const { server, db, addRun, addAlert, addEntries } = prepared
  await addRun('done', 70, 61)
  await addRun('failed', 61, 61)
  const runs = [await addRun('done', 70, 59), await addRun('running', 400), await addRun('queued', 400)]
  await addAlert('resolved', 400, 366)
  const alerts = [await addAlert('resolved', 400, 364), await addAlert('open', 800)]
  await addEntries([364, 366, 1000])
  await server.ctx.jobs.enqueue('history.remove-old', null)
  await server.ctx.jobs.enqueue('alerts.remove-old', null)
  await server.ctx.jobs.enqueue('audit.remove-old', null)
  await server.ctx.jobs.drain()
  expect(await runIds(server)).toEqual(runs)
  expect(await alertIds(server)).toEqual(alerts)
  const entries = await db.selectFrom('audit_log').select('message').execute()
  expect(entries.map(({ message }) => message)).toContain('entry of day 364')
  expect(entries.map(({ message }) => message)).not.toContain('entry of day 366')
  expect(entries.map(({ message }) => message)).not.toContain('entry of day 1000')
  const output = await db.selectFrom('history_output').select('history_id').orderBy('history_id').execute()
  expect([...new Set(output.map(({ history_id }) => history_id))]).toEqual(runs)
  const log = await db.selectFrom('alert_log').select('alert_id').orderBy('alert_id').execute()
  expect(log.map(({ alert_id }) => alert_id)).toEqual(alerts)
})

test('a shorter retention deletes older records at once, and is audited', async () => {
  await using prepared = await prepare()
  const { server, db, root, addRun, addAlert, addEntries } = prepared
  await addRun('done', 10, 10)
  await addAlert('resolved', 10, 10)
  await addEntries([10])
  const body = { agent_history_prune_days: 9, resolved_alerts_prune_days: 9, audit_log_prune_days: 9 }
  expect((await root.call(editCoreSettings, { body })).body).toMatchObject(body)
  await server.ctx.jobs.drain()
  expect(await runIds(server)).toEqual([])
  expect(await alertIds(server)).toEqual([])
  const entries = await db.selectFrom('audit_log').select('message').execute()
  expect(entries.map(({ message }) => message)).toEqual([
    'Changed the retention of history: command history for 9 days, resolved alerts for 9 days, the audit log for 9 days',
  ])
})

test('0 days keep records forever', async () => {
  await using prepared = await prepare()
  const { server, db, root, addRun, addAlert, addEntries } = prepared
  const body = { agent_history_prune_days: 0, resolved_alerts_prune_days: 0, audit_log_prune_days: 0 }
  await root.call(editCoreSettings, { body })
  await addEntries([3000])
  const runs = [await addRun('done', 3000, 3000)]
  const alerts = [await addAlert('resolved', 3000, 3000)]
  const signal = new AbortController().signal
  for (const remove of [removeOldRuns, removeOldAlerts, removeOldEntries]) await remove(server.ctx, signal)
  expect(await runIds(server)).toEqual(runs)
  expect(await alertIds(server)).toEqual(alerts)
  const entries = await db.selectFrom('audit_log').select('message').orderBy('id').execute()
  expect(entries.map(({ message }) => message)).toEqual([
    'Changed the retention of history: command history forever, resolved alerts forever, the audit log forever',
    'entry of day 3000',
  ])
  const { error } = await root.call(editCoreSettings, { body: { audit_log_prune_days: -1 } })
  expect(error).toMatchObject({
    fields: { audit_log_prune_days: ['Not negative. 0 keeps records forever.'] },
  })
  expect((await root.call(getCoreSettings, {})).body).toMatchObject(body)
})

test('a resolved alert stays while a notification waits or an action runs', async () => {
  await using prepared = await prepare()
  const { server, db, addAlert, addRun } = prepared
  const alerts = [await addAlert('resolved', 800, 700), await addAlert('resolved', 800, 701)]
  const run = await addRun('done', 700, 700)
  const [notified = 0, acted = 0] = alerts
  const { id: channel_id } = await db
    .insertInto('alert_channels')
    .values({ name: 'Ops', settings: '{}', rules: '{}', created_at: daysAgo(900), modified: daysAgo(900) })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('alert_notices')
    .values({
      alert_id: notified,
      channel_id,
      kind: 'resolved',
      turn: 0,
      state: 'waiting',
      due_at: daysAgo(-1),
      created_at: daysAgo(700),
    })
    .execute()
  await db
    .insertInto('alert_actions')
    .values({
      alert_id: acted,
      kind: 'resolved',
      template_name: 'Night',
      name: 'Script',
      work: '',
      state: 'running',
      history_id: run,
      created_at: daysAgo(700),
    })
    .execute()
  const signal = new AbortController().signal
  await removeOldAlerts(server.ctx, signal)
  await removeOldRuns(server.ctx, signal)
  expect(await alertIds(server)).toEqual(alerts)
  expect(await runIds(server)).toEqual([run])
  await db.updateTable('alert_notices').set({ state: 'sent' }).execute()
  await db.updateTable('alert_actions').set({ state: 'done' }).execute()
  await removeOldAlerts(server.ctx, signal)
  await removeOldRuns(server.ctx, signal)
  expect(await alertIds(server)).toEqual([])
  expect(await runIds(server)).toEqual([])
  for (const table of ['alert_log', 'alert_notices', 'alert_actions', 'history_output'] as const)
    expect(await db.selectFrom(table).selectAll().execute()).toEqual([])
})

test('writers get a turn between steps of at most 500 audit entries, and an interrupted run is finished by the next one', async () => {
  await using prepared = await prepare()
  const { server, db, addEntries } = prepared
  const { ctx } = server
  for (let batch = 0; batch < 5; batch += 1)
    await addEntries(Array.from({ length: 1000 }, (_, index) => 400 + index))
  const count = async () => (await db.selectFrom('audit_log').select('id').execute()).length
  const left = [await count()]
  const stopping = new AbortController()
  const removing = removeOldEntries(
    {
      ...ctx,
      transaction: async (step) => {
        const deleted = await ctx.transaction(step)
        // Never ends if the run holds on to the database between two steps.
        await ctx.transaction((tx) => tx.updateTable('agents').set({ description: 'written' }).execute())
        left.push(await count())
        if (left.length === 4) stopping.abort(new Error('the server is stopping'))
        return deleted
      },
    },
    stopping.signal,
  )
  await expect(removing).rejects.toThrow('the server is stopping')
  const deleted = left.slice(1).map((rows, index) => (left[index] ?? 0) - rows)
  expect(deleted).toHaveLength(3)
  expect(Math.min(...deleted)).toBeGreaterThan(0)
  expect(Math.max(...deleted)).toBeLessThanOrEqual(500)
  expect(await count()).toBe(left.at(-1))
  await removeOldEntries(ctx, new AbortController().signal)
  expect(await count()).toBe(0)
})
