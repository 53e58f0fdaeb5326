import type { Note } from '@muster/contract/api/notes'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import {
  deleteNoteRow,
  findNote,
  findNotedAgent,
  insertNote,
  type NoteWithHost,
  updateNote,
} from './queries.ts'

export function addNote(
  ctx: Context,
  caller: Caller,
  given: { agent_id: string; note: string },
): Promise<Note> {
  return ctx.transaction(async (tx, emit) => {
    const agent = await requireNotedAgent(tx, caller, given.agent_id)
    const at = ctx.now()
    const note = await insertNote(tx, { ...given, username: caller.username, entry_time: at.toISOString() })
    await audit(tx, {
      caller,
      action: 'add',
      object_type: 'note',
      message: `Added a note to "${agent.hostname}"`,
      after: { note: note.note },
      agent,
      at,
      emit,
    })
    emit({ type: 'note.changed', ids: [note.pk], agent_ids: [agent.agent_id] })
    return note
  })
}

export function changeNote(
  ctx: Context,
  caller: Caller,
  { pk, note }: { pk: number; note: string },
): Promise<Note> {
  return ctx.transaction(async (tx, emit) => {
    const before = await requireNote(tx, caller, pk)
    if (before.note === note) return before
    await updateNote(tx, pk, note)
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'note',
      message: `Changed a note of "${before.hostname}"`,
      before: { note: before.note, written_by: before.username },
      after: { note },
      agent: before,
      at: ctx.now(),
      emit,
    })
    emit({ type: 'note.changed', ids: [pk], agent_ids: [before.agent_id] })
    return { ...before, note }
  })
}

export function removeNote(ctx: Context, caller: Caller, pk: number): Promise<void> {
  return ctx.transaction(async (tx, emit) => {
    const before = await requireNote(tx, caller, pk)
    await deleteNoteRow(tx, pk)
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'note',
      message: `Deleted a note of "${before.hostname}"`,
      before: { note: before.note, written_by: before.username },
      agent: before,
      at: ctx.now(),
      emit,
    })
    emit({ type: 'note.changed', ids: [pk], agent_ids: [before.agent_id] })
  })
}

/** Returns the note. Throws `not_found` if it does not exist or its machine is not visible. */
export async function requireNote(db: Db, caller: Caller, pk: number): Promise<NoteWithHost> {
  const note = await findNote(db, caller, pk)
  if (note === undefined) throw new AppError('not_found', 'This note does not exist, or you may not see it.')
  return note
}

export async function requireNotedAgent(
  db: Db,
  caller: Caller,
  agentId: string,
): Promise<{ agent_id: string; hostname: string }> {
  const agent = await findNotedAgent(db, caller, agentId)
  if (agent === undefined)
    throw new AppError('not_found', 'This machine does not exist, or you may not see it.')
  return agent
}
