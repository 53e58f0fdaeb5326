import type { Event } from '@muster/contract/events'
import type { Context } from '../../context.ts'
import type { Database } from '../../platform/database/database.ts'
import type { OpenDatabase } from '../../platform/database/open-database.ts'
import { createTestServer } from '../../testing/test-server.ts'
import { storeResults } from '../checks/store-results.ts'
import { openOverdue } from './open-overdue.ts'
import { reopenAlerts } from './alert-sweep.ts'
import { updateOpenAlerts } from './update-open-alerts.ts'

const T0 = Date.parse('2026-03-01T12:00:00.000Z')
export const instant = (seconds: number) => new Date(T0 + seconds * 1000).toISOString()

/** A server with the clock at T0 and a channel that accepts everything. Times are seconds after T0. */
export async function prepareAlerts(database?: OpenDatabase<Database>) {
  // Receivers of channels run on this machine.
  const env = { MUSTER_CHANNEL_TARGETS: 'any' }
  const server = await createTestServer({
    env,
    ...(database === undefined ? {} : { overrides: { database } }),
  })
  server.clock.freeze(instant(0))
  const { ctx, given } = server
  await ctx.db
    .insertInto('alert_channels')
    .values({
      name: 'Everything',
      settings: JSON.stringify({ kind: 'slack', url: 'http://127.0.0.1:1/' }),
      rules: JSON.stringify({ severities: ['error', 'warning', 'info'] }),
      last_error: '',
      created_at: instant(0),
      modified: instant(0),
    })
    .execute()
  const events: Event[] = []
  ctx.onEvent((event) => void events.push(event))
  return {
    server,
    ctx,
    given,
    events,
    go: (seconds: number) => server.clock.freeze(instant(seconds)),
    machine: (fields: Parameters<typeof given.agent>[0] = {}) =>
      given.agent({
        connected: 1,
        last_seen: instant(0),
        overdue_time: 30,
        overdue_dashboard_alert: 1,
        overdue_email_alert: 1,
        ...fields,
      }),
    check: (agentId: string) =>
      given.check({
        agent_id: agentId,
        check_type: 'cpuload',
        settings: JSON.stringify({ warning_threshold: 70, error_threshold: 90 }),
        revision: 'cpu.1',
      }),
    /** Measured values, as pairs of a time and a percentage. */
    report: (check: { id: number; agent_id: string }, ...values: [seconds: number, percent: number][]) =>
      storeReport(ctx, check, values),
    sweep: async () => {
      await updateOpenAlerts(ctx)
      await openOverdue(ctx)
      await reopenAlerts(ctx)
    },
    alerts: () => ctx.db.selectFrom('alerts').selectAll().orderBy('id').execute(),
    log: async (alertId: number) => {
      const rows = await ctx.db
        .selectFrom('alert_log')
        .select('kind')
        .where('alert_id', '=', alertId)
        .orderBy('id')
        .execute()
      return rows.map(({ kind }) => kind)
    },
    /** Planned notices so far, in order. Waiting ones count as sent from here on. */
    notified: async () => {
      await ctx.db
        .updateTable('alert_notices')
        .set({ state: 'sent', ended_at: ctx.now().toISOString() })
        .where('state', '=', 'waiting')
        .execute()
      const rows = await ctx.db
        .selectFrom('alert_notices')
        .innerJoin('alerts', 'alerts.id', 'alert_notices.alert_id')
        .select(['alerts.cause', 'kind'])
        .where('alert_notices.state', '=', 'sent')
        .orderBy('alert_notices.id')
        .execute()
      return rows.map(({ cause, kind }) => `${cause.split(':')[0]} ${kind}`)
    },
    setAgent: (
      agentId: string,
      fields: { maintenance_mode?: 0 | 1; connected?: 0 | 1; last_seen?: string },
    ) => ctx.db.updateTable('agents').set(fields).where('agent_id', '=', agentId).execute(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

export async function storeReport(
  ctx: Context,
  check: { id: number; agent_id: string },
  values: [seconds: number, percent: number][],
): Promise<void> {
  const results = values.map(([at, percent]) => ({
    check_id: check.id,
    revision: 'cpu.1',
    at: instant(at),
    measured: { check_type: 'cpuload' as const, percent },
  }))
  await ctx.transaction((tx, emit) => storeResults(tx, emit, ctx, [{ agentId: check.agent_id, results }]))
}
