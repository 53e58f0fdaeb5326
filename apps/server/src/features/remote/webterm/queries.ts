import type { Selectable } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'
import type { WebTerminalsTable } from '../../../platform/database/tables/remote.ts'

const MAX_LISTED = 1000

export type WebTerminalRow = Selectable<WebTerminalsTable>

export async function insertWebTerminal(
  db: Db,
  row: Pick<WebTerminalRow, 'id' | 'host' | 'process_id' | 'username' | 'ip_address' | 'started_at'>,
): Promise<void> {
  const open = { ended_at: null, exit_code: null, reason: null }
  const recording = { recorded: 1, recording_bytes: 0, recording_problem: null } as const
  await db
    .insertInto('web_terminals')
    .values({ ...row, ...open, ...recording })
    .execute()
}

/** Newest first. */
export async function listWebTerminals(db: Db): Promise<WebTerminalRow[]> {
  return db.selectFrom('web_terminals').selectAll().orderBy('started_at', 'desc').limit(MAX_LISTED).execute()
}

export async function findWebTerminal(db: Db, id: string): Promise<WebTerminalRow | undefined> {
  return db.selectFrom('web_terminals').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Open ones whose server process no longer exists. */
export async function listLostWebTerminals(db: Db): Promise<WebTerminalRow[]> {
  return db
    .selectFrom('web_terminals')
    .selectAll()
    .where('ended_at', 'is', null)
    .where('process_id', 'not in', (eb) => eb.selectFrom('processes').select('id'))
    .execute()
}

/** @returns False if it had already ended. */
export async function closeWebTerminal(
  db: Db,
  id: string,
  end: Pick<WebTerminalRow, 'ended_at' | 'exit_code' | 'reason'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('web_terminals')
    .set(end)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function finishWebTerminalRecording(
  db: Db,
  id: string,
  end: Pick<WebTerminalRow, 'recording_bytes' | 'recording_problem'>,
): Promise<void> {
  await db.updateTable('web_terminals').set(end).where('id', '=', id).execute()
}

/** Marks ended sessions that started before this instant as not recorded. Returns their ids. */
export async function markRecordingsDeleted(db: Db, before: string): Promise<string[]> {
  const rows = await db
    .updateTable('web_terminals')
    .set({ recorded: 0 })
    .where('started_at', '<', before)
    .where('recorded', '=', 1)
    .where('ended_at', 'is not', null)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** The existing ones of these ids. */
export async function findWebTerminalRecordings(db: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('web_terminals')
    .select('id')
    .where('id', 'in', [...ids])
    .where('recorded', '=', 1)
    .execute()
  return new Set(rows.map(({ id }) => id))
}
