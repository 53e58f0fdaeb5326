import type { Note } from '@muster/contract/api/notes'
import type { Db } from '../../platform/database/database.ts'
import { visibleTo } from '../../platform/database/visible-to.ts'
import type { Scope } from '../../platform/http/caller.ts'

type Viewer = { scope: Scope }
export type NoteWithHost = Note & { hostname: string }

/** Notes of one machine, or all visible ones, newest first. */
export function findNotes(db: Db, caller: Viewer, agentId?: string): Promise<Note[]> {
  return db
    .selectFrom('agent_notes')
    .innerJoin('agents', 'agents.agent_id', 'agent_notes.agent_id')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .selectAll('agent_notes')
    .where(visibleTo(caller))
    .$if(agentId !== undefined, (query) => query.where('agent_notes.agent_id', '=', agentId ?? ''))
    .orderBy('agent_notes.pk', 'desc')
    .execute()
}

export function findNote(db: Db, caller: Viewer, pk: number): Promise<NoteWithHost | undefined> {
  return db
    .selectFrom('agent_notes')
    .innerJoin('agents', 'agents.agent_id', 'agent_notes.agent_id')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .selectAll('agent_notes')
    .select('agents.hostname')
    .where(visibleTo(caller))
    .where('agent_notes.pk', '=', pk)
    .executeTakeFirst()
}

export function findNotedAgent(
  db: Db,
  caller: Viewer,
  agentId: string,
): Promise<{ agent_id: string; hostname: string } | undefined> {
  return db
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select(['agents.agent_id', 'agents.hostname'])
    .where(visibleTo(caller))
    .where('agents.agent_id', '=', agentId)
    .executeTakeFirst()
}

export function insertNote(db: Db, note: Omit<Note, 'pk'>): Promise<Note> {
  return db.insertInto('agent_notes').values(note).returningAll().executeTakeFirstOrThrow()
}

export async function updateNote(db: Db, pk: number, note: string): Promise<void> {
  await db.updateTable('agent_notes').set({ note }).where('pk', '=', pk).execute()
}

export async function deleteNoteRow(db: Db, pk: number): Promise<void> {
  await db.deleteFrom('agent_notes').where('pk', '=', pk).execute()
}
