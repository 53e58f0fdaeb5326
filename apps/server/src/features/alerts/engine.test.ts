import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createContext } from '../../context.ts'
import { readConfig } from '../../platform/config/config.ts'
import type { Database } from '../../platform/database/database.ts'
import { openTestDatabase } from '../../platform/database/test-engines.ts'
import { alertChannelsJobs } from '../alert-channels/jobs.ts'
import { changeAlerts } from './change-alerts.ts'
import { instant, prepareAlerts, storeReport } from './test-alerts.ts'
import { openOverdue } from './open-overdue.ts'
import { raiseAgain } from './raise-again.ts'
import { tendAlerts } from './tend-alerts.ts'

// No sequence of reports (late, repeated, out of order), restarts, jumps of the clock, maintenance, losses of the
// machine and actions of people leaves two open alerts for one cause, loses a resolve, or plans a notice twice.

type Doing =
  | { kind: 'report'; agoSeconds: number; percents: number[] }
  | { kind: 'again' }
  | { kind: 'pass'; seconds: number }
  | { kind: 'maintenance'; on: 0 | 1 }
  | { kind: 'link'; up: 0 | 1 }
  | { kind: 'act'; type: 'acknowledge' | 'unacknowledge' | 'snooze' | 'unsnooze' | 'resolve' }
  | { kind: 'restart' }
  | { kind: 'sweeps' }

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
  fc.record({ kind: fc.constant('pass' as const), seconds: fc.constantFrom(1, 10, 130, 1900, -100) }),
  fc.record({ kind: fc.constant('maintenance' as const), on: fc.constantFrom(0 as const, 1 as const) }),
  fc.record({ kind: fc.constant('link' as const), up: fc.constantFrom(0 as const, 1 as const) }),
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
)

test('whatever happens, a cause has one open alert, which ends with it, and nothing is told twice', async () => {
  await using database = await openTestDatabase<Database>()
  await using prepared = await prepareAlerts(database)
  const { server, machine, check, told, alerts } = prepared
  let ctx = prepared.ctx
  let nowSeconds = 0
  const runs = Number(process.env['MUSTER_TEST_RUNS'] ?? 60)
  await fc.assert(
    fc.asyncProperty(fc.array(doing, { maxLength: 25 }), async (doings) => {
      nowSeconds += 100_000
      prepared.go(nowSeconds)
      const { agent_id } = await machine({ last_seen: instant(nowSeconds) })
      const cpu = await check(agent_id)
      let last: [number, number][] = []
      const sweep = async () => {
        await tendAlerts(ctx)
        await openOverdue(ctx)
        await raiseAgain(ctx)
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
            await prepared.setAgent(agent_id, { connected: next.up, last_seen: instant(nowSeconds) })
            break
          case 'act': {
            const ids = (await mine()).map(({ id }) => id)
            if (ids.length === 0) break
            const caller = { ...CALLER, scope: { all: true as const } }
            const until = new Date(ctx.now().getTime() + 100_000).toISOString()
            await changeAlerts(ctx, caller, { ids, type: next.type, snooze_until: until })
            break
          }
          case 'restart':
            // What a process knows by itself is gone; the database stays.
            ctx = await createContext(readConfig({ MUSTER_DATA: server.ctx.config.dataFolder }), {
              now: server.clock.now,
              log: server.ctx.log,
              database,
              bus: server.ctx.bus,
              secrets: server.ctx.secrets,
            })
            ctx.jobs.define(alertChannelsJobs(ctx))
            break
          case 'sweeps':
            await Promise.all([sweep(), sweep()])
        }
        await told()
      }
      await sweep()
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
      await expectToldOnce(agent_id)
    }),
    { numRuns: runs },
  )

  async function expectToldOnce(agentId: string): Promise<void> {
    const notices = await prepared.ctx.db
      .selectFrom('alert_notices')
      .innerJoin('alerts', 'alerts.id', 'alert_notices.alert_id')
      .select(['alert_id', 'kind', 'alerts.state', 'alerts.told', 'alert_notices.state as notice'])
      .where('agent_id', '=', agentId)
      .execute()
    for (const [, ofAlert] of Map.groupBy(notices, ({ alert_id }) => alert_id)) {
      const count = (kind: string) => ofAlert.filter((notice) => notice.kind === kind).length
      expect(count('opened')).toBe(1)
      expect(count('severity_changed')).toBeLessThanOrEqual(1)
      expect(count('resolved')).toBe(ofAlert[0]?.state === 'resolved' ? 1 : 0)
    }
  }
}, 300_000)

const CALLER = {
  userId: 1,
  username: 'ada',
  name: null,
  isSuperuser: true,
  permissions: new Set<never>(),
  session: undefined,
  source: '',
}
