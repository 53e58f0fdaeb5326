import { agentStatus } from '@muster/rules/agents/agent-status'
import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Engine } from '../../platform/database/columns.ts'

const MINUTE_MS = 60_000

interface Machine {
  last_seen: string | null
  connected: 0 | 1
  offline_time: number
  overdue_time: number
}

/** SQL condition: a row of `agents` is overdue at this instant, as in rules/agents/agent-status.ts. */
export function overdueAt(engine: Engine, instant: string): RawBuilder<SqlBool> {
  const isPast =
    engine === 'sqlite'
      ? sql`strftime('%Y-%m-%dT%H:%M:%fZ', agents.last_seen, '+' || agents.overdue_time || ' minutes') < ${instant}`
      : sql`cast(agents.last_seen as timestamptz) + agents.overdue_time * interval '1 minute' < cast(${instant} as timestamptz)`
  return sql<SqlBool>`(agents.connected = 0 and agents.last_seen is not null and ${isPast})`
}

/** A user or its alert template asks for the overdue alert. */
export const isWatched = sql<SqlBool>`(agents.overdue_email_alert + agents.overdue_text_alert + agents.overdue_dashboard_alert
  + agents.overdue_by_template > 0)`

export function isOverdue(machine: Machine, now: Date): boolean {
  return agentStatus({ ...machine, connected: machine.connected === 1 }, now.getTime()) === 'overdue'
}

/** The time since which it is overdue. */
export function overdueSince({ last_seen, overdue_time }: Machine & { last_seen: string }): Date {
  return new Date(Date.parse(last_seen) + overdue_time * MINUTE_MS)
}
