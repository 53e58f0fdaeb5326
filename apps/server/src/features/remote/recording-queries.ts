import type { Selectable } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { RemoteRecordingsTable } from '../../platform/database/tables/remote.ts'
import type { RecordingEnd } from './recording-writer.ts'

export type RecordingRow = Selectable<RemoteRecordingsTable>

export async function insertRecording(
  db: Db,
  row: Pick<RecordingRow, 'id' | 'session_id' | 'started_at'>,
): Promise<void> {
  await db
    .insertInto('remote_recordings')
    .values({ ...row, bytes: 0, milliseconds: null, problem: null })
    .execute()
}

export async function finishRecording(db: Db, id: string, end: RecordingEnd): Promise<void> {
  await db.updateTable('remote_recordings').set(end).where('id', '=', id).execute()
}

/** Recordings of these sessions, oldest first. */
export async function listRecordings(db: Db, sessionIds: readonly string[]): Promise<RecordingRow[]> {
  if (sessionIds.length === 0) return []
  return db
    .selectFrom('remote_recordings')
    .selectAll()
    .where('session_id', 'in', [...sessionIds])
    .orderBy('started_at')
    .execute()
}

/** Deletes recordings that started before this instant. Returns their ids. */
export async function deleteRecordingsBefore(db: Db, before: string): Promise<string[]> {
  const rows = await db
    .deleteFrom('remote_recordings')
    .where('started_at', '<', before)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** The existing ones of these ids. */
export async function findRecordingIds(db: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('remote_recordings')
    .select('id')
    .where('id', 'in', [...ids])
    .execute()
  return new Set(rows.map(({ id }) => id))
}
