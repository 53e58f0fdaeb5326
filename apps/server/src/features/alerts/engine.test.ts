import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createContext } from '../../context.ts'
import { readConfig } from '../../platform/config/config.ts'
import type { Database } from '../../platform/database/database.ts'
import { openTestDatabase } from '../../platform/database/test-engines.ts'
import { alertChannelsJobs } from './channels/jobs.ts'
import { AlertSweep, reopenAlerts } from './alert-sweep.ts'
import { changeAlerts } from './change-alerts.ts'
import { instant, prepareAlerts, storeReport } from './test-alerts.ts'
import { openOverdue } from './open-overdue.ts'
import { takeTaskFindings } from './task-alerts.ts'
import { updateOpenAlerts } from './update-open-alerts.ts'
import { createTestPost, type SendingEnd } from './test-post.ts'

// No sequence of reports (late, repeated, out of order), runs of tasks, restarts, clock jumps, maintenance, lost
// machines, user actions and messages that are refused or cut off by a crash leaves two open alerts for one cause,
// loses a resolve, or sends a notice twice.

type Doing =
  | { kind: 'report'; agoSeconds: number; percents: number[] }
  | { kind: 'again' }
  | { kind: 'pass'; seconds: number }
  | { kind: 'maintenance'; on: 0 | 1 }
  | { kind: 'link'; up: 0 | 1 }
  | { kind: 'outage' }
  | { kind: 'act'; type: 'acknowledge' | 'unacknowledge' | 'snooze' | 'unsnooze' | 'resolve' }
  | { kind: 'restart' }
  | { kind: 'sweeps' }
  | { kind: 'task'; fails: boolean }
  | { kind: 'send'; how: SendingEnd }

const percent = fc.constantFrom(10, 80, 95)
const doing: fc.Arbitrary<Doing> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      agoSeconds: fc.constantFrom(0, 5, 90, 1000),
      percents: fc.array(percent, { minLength: 1, maxLength: 4 }),
    }),
  },
  fc.constant<Doing>({ kind: 'again' }),
  fc.record({
    kind: fc.constant('pass' as const),
    seconds: fc.constantFrom(1, 10, 130, 1900, 90_000, -100, -5000),
  }),
  fc.record({ kind: fc.constant('maintenance' as const), on: fc.constantFrom(0 as const, 1 as const) }),
  fc.record({ kind: fc.constant('link' as const), up: fc.constantFrom(0 as const, 1 as const) }),
  fc.constant<Doing>({ kind: 'outage' }),
  fc.record({
    kind: fc.constant('act' as const),
    type: fc.constantFrom(
      'acknowledge' as const,
      'unacknowledge' as const,
      'snooze' as const,
      'unsnooze' as const,
      'resolve' as const,
    ),
  }),
  fc.constant<Doing>({ kind: 'restart' }),
  fc.constant<Doing>({ kind: 'sweeps' }),
  fc.record({ kind: fc.constant('task' as const), fails: fc.boolean() }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      how: fc.constantFrom<SendingEnd>('sent', 'sent', 'refused', 'dies'),
    }),
  },
)

test('in every sequence a cause has one open alert, which ends with it, and nothing is sent twice', async () => {
  await using database = await openTestDatabase<Database>()
  await using prepared = await prepareAlerts(database)
  const { server, given, machine, check, alerts } = prepared
  const post = await createTestPost(prepared.ctx)
  let ctx = prepared.ctx
  let sweeper = new AlertSweep(ctx)
  // The state in memory is lost, the database stays.
  const restart = async () => {
    ctx = await createContext(readConfig({ MUSTER_DATA: server.ctx.config.dataFolder }), {
      now: server.clock.now,
      log: server.ctx.log,
      database,
      bus: server.ctx.bus,
      secrets: server.ctx.secrets,
    })
    ctx.jobs.define(alertChannelsJobs(ctx))
    sweeper = new AlertSweep(ctx)
  }
  let nowSeconds = 0
  const runs = Number(process.env['MUSTER_TEST_RUNS'] ?? 40)
  await fc.assert(
    fc.asyncProperty(fc.array(doing, { maxLength: 25, size: 'max' }), async (doings) => {
      nowSeconds += 100_000
      prepared.go(nowSeconds)
      const { agent_id } = await machine({ last_seen: instant(nowSeconds) })
      const cpu = await check(agent_id)
      const { id: taskId } = await given.task({ agent_id })
      let taskFails = false
      /** A user has resolved its alert since it failed. */
      let isTaskSeenTo = false
      let isLinked = true
      let last: [number, number][] = []
      const sweep = async () => {
        await updateOpenAlerts(ctx)
        await openOverdue(ctx)
        await reopenAlerts(ctx)
      }
      const setLink = async (connected: 0 | 1) => {
        isLinked = connected === 1
        await prepared.setAgent(agent_id, { connected, last_seen: instant(nowSeconds) })
      }
      const mine = async () => (await alerts()).filter((alert) => alert.agent_id === agent_id)
      for (const next of [...doings, { kind: 'sweeps' } as const]) {
        switch (next.kind) {
          case 'report':
            last = next.percents.map((value, index) => [nowSeconds - next.agoSeconds + index, value])
            await storeReport(ctx, cpu, last)
            break
          case 'again':
            await storeReport(ctx, cpu, last)
            break
          case 'pass':
            nowSeconds += next.seconds
            prepared.go(nowSeconds)
            break
          case 'maintenance':
            await prepared.setAgent(agent_id, { maintenance_mode: next.on })
            break
          case 'link':
            await setLink(next.up)
            break
          case 'outage':
            await setLink(0)
            nowSeconds += 1900
            prepared.go(nowSeconds)
            await sweep()
            break
          case 'act': {
            const ids = (await mine()).map(({ id }) => id)
            if (ids.length === 0) break
            const caller = { ...CALLER, scope: { all: true as const } }
            const until = new Date(ctx.now().getTime() + 100_000).toISOString()
            if (next.type === 'resolve') isTaskSeenTo = true
            await changeAlerts(ctx, caller, { ids, type: next.type, snooze_until: until })
            break
          }
          case 'restart':
            await restart()
            break
          case 'sweeps':
            await Promise.all([sweep(), sweeper.sweep(), sweep()])
            break
          case 'task': {
            const found = { taskId, at: ctx.now(), text: 'It ended.' }
            const severity = next.fails ? ('warning' as const) : null
            await ctx.transaction((tx, emit) => takeTaskFindings({ ctx, tx, emit }, [{ ...found, severity }]))
            taskFails = next.fails
            isTaskSeenTo = false
            break
          }
          case 'send':
            await post.send(ctx, next.how)
            if (next.how === 'dies') await restart()
        }
      }
      await sweep()
      nowSeconds += 100_000
      prepared.go(nowSeconds)
      await post.send(ctx, 'sent')
      const open = (await mine()).filter(({ state }) => state !== 'resolved')
      expect(new Set(open.map(({ cause }) => cause)).size).toBe(open.length)
      const result = await ctx.db
        .selectFrom('check_results')
        .select('alert_severity')
        .where('check_id', '=', cpu.id)
        .executeTakeFirst()
      const ofCheck = open.find(({ check_id }) => check_id === cpu.id)
      if (result?.alert_severity == null) expect(ofCheck).toBeUndefined()
      else if (ofCheck !== undefined) expect(ofCheck.severity).toBe(result.alert_severity)
      else expect((await mine()).some(({ look_after }) => look_after !== null)).toBe(true)
      expect(open.some(({ alert_type }) => alert_type === 'task')).toBe(taskFails && !isTaskSeenTo)
      if (isLinked) expect(open.some(({ alert_type }) => alert_type === 'availability')).toBe(false)
      await post.expectSentOnce(agent_id)
    }),
    { numRuns: runs, examples: [[ARRIVED_AND_REFUSED]] },
  )
})

/** A message that arrived before the crash counts as sent, even if the next one is refused. */
const ARRIVED_AND_REFUSED: Doing[] = [
  { kind: 'report', agoSeconds: 0, percents: [80] },
  { kind: 'send', how: 'dies' },
  { kind: 'outage' },
  { kind: 'send', how: 'refused' },
]

const CALLER = {
  userId: 1,
  username: 'ada',
  name: null,
  isSuperuser: true,
  permissions: new Set<never>(),
  session: undefined,
  source: '',
}
