import type { Insertable, Selectable } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { RemoteSessionsTable } from '../../platform/database/tables/remote.ts'

const MAX_LISTED = 1000

export type SessionRow = Selectable<RemoteSessionsTable> & {
  hostname: string
  /** The owner of the joined terminal. */
  joined_username: string | null
}

export interface OpenFilter {
  ids?: readonly string[]
  agentIds?: readonly string[]
  digests?: readonly string[]
  userIds?: readonly number[]
}

export async function insertSession(
  db: Db,
  row: Omit<Insertable<RemoteSessionsTable>, 'ended_at' | 'exit_code' | 'reason'>,
): Promise<void> {
  await db
    .insertInto('remote_sessions')
    .values({ ...row, ended_at: null, exit_code: null, reason: null })
    .execute()
}

/** Another sign-in of the same user takes over the session. */
export async function handOverSession(
  db: Db,
  id: string,
  to: Pick<RemoteSessionsTable, 'session_digest' | 'ip_address'>,
): Promise<void> {
  await db.updateTable('remote_sessions').set(to).where('id', '=', id).execute()
}

/** Open sessions that match all given filters. */
export async function listOpenSessions(db: Db, filter: OpenFilter): Promise<SessionRow[]> {
  const { ids, agentIds, digests, userIds } = filter
  let query = db
    .selectFrom('remote_sessions')
    .innerJoin('agents', 'agents.agent_id', 'remote_sessions.agent_id')
    .leftJoin('remote_sessions as joined', 'joined.id', 'remote_sessions.joined_session')
    .where('remote_sessions.ended_at', 'is', null)
    .selectAll('remote_sessions')
    .select(['agents.hostname', 'joined.username as joined_username'])
  if (ids !== undefined) query = query.where('remote_sessions.id', 'in', [...ids])
  if (agentIds !== undefined) query = query.where('remote_sessions.agent_id', 'in', [...agentIds])
  if (digests !== undefined) query = query.where('remote_sessions.session_digest', 'in', [...digests])
  if (userIds !== undefined) query = query.where('remote_sessions.user_id', 'in', [...userIds])
  return query.execute()
}

/** Sessions of a machine, newest first. */
export async function listSessions(db: Db, agentId: string): Promise<Selectable<RemoteSessionsTable>[]> {
  return db
    .selectFrom('remote_sessions')
    .selectAll()
    .where('agent_id', '=', agentId)
    .orderBy('started_at', 'desc')
    .limit(MAX_LISTED)
    .execute()
}

export async function findSession(db: Db, id: string): Promise<Selectable<RemoteSessionsTable> | undefined> {
  return db.selectFrom('remote_sessions').selectAll().where('id', '=', id).executeTakeFirst()
}

/** @returns False if it had already ended. */
export async function closeSession(
  db: Db,
  id: string,
  end: Pick<RemoteSessionsTable, 'ended_at' | 'exit_code' | 'reason'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('remote_sessions')
    .set(end)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
