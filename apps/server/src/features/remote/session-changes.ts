import { type SessionChangesReport, CHANGED_PARTS, SessionChangesView } from '@muster/contract/agent/remote'
import type { Event } from '@muster/contract/events'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'

export interface ReportedChanges {
  agentId: string
  report: SessionChangesReport
}

/** Stores reported session changes. Repeated ones and those for sessions of other machines change nothing. */
export async function storeSessionChanges(
  { ctx, tx, emit }: { ctx: Context; tx: Db; emit: (event: Event) => void },
  reported: readonly ReportedChanges[],
): Promise<void> {
  for (const { agentId, report } of reported) {
    const session = await tx
      .selectFrom('remote_sessions')
      .select('id')
      .where('id', '=', report.session)
      .where('agent_id', '=', agentId)
      .executeTakeFirst()
    if (session === undefined) continue
    await tx
      .insertInto('remote_receipts')
      .values({
        session_id: session.id,
        stored_at: ctx.now().toISOString(),
        changes: countChanges(report.receipt),
        receipt: JSON.stringify(report.receipt),
      })
      .onConflict((conflict) => conflict.column('session_id').doNothing())
      .execute()
    emit({ type: 'remote_session.changed', ids: [agentId], agent_ids: [agentId] })
  }
}

/** Number of changes per session, for sessions whose machine has reported them. */
export async function listChanges(db: Db, sessionIds: readonly string[]): Promise<Map<string, number>> {
  if (sessionIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('remote_receipts')
    .select(['session_id', 'changes'])
    .where('session_id', 'in', [...sessionIds])
    .execute()
  return new Map(rows.map(({ session_id, changes }) => [session_id, changes]))
}

export async function findSessionChanges(db: Db, sessionId: string): Promise<SessionChangesView | undefined> {
  const row = await db
    .selectFrom('remote_receipts')
    .select('receipt')
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
  return row === undefined ? undefined : SessionChangesView.parse(JSON.parse(row.receipt))
}

export async function deleteSessionChangesBefore(db: Db, before: string): Promise<void> {
  await db.deleteFrom('remote_receipts').where('stored_at', '<', before).execute()
}

function countChanges({ parts }: SessionChangesView): number {
  return CHANGED_PARTS.map((name) => parts[name])
    .filter((part) => part.state === 'collected')
    .reduce(
      (sum, { added, removed, changed, left_out }) =>
        sum + added.length + removed.length + changed.length + left_out,
      0,
    )
}
