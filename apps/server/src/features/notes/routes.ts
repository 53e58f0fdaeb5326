import {
  createNote,
  deleteNote,
  editNote,
  getNote,
  listAllNotes,
  listNotes,
  type Note,
} from '@muster/contract/api/notes'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { findNotes } from './queries.ts'
import { addNote, changeNote, removeNote, requireNote, requireNotedAgent } from './write-note.ts'

export function notesRoutes(api: Api, ctx: Context): void {
  route(api, listAllNotes, async ({ caller }) => (await findNotes(ctx.db, caller)).map(viewNote))
  route(api, listNotes, async ({ params, caller }) => {
    await requireNotedAgent(ctx.db, caller, params.agent_id)
    return (await findNotes(ctx.db, caller, params.agent_id)).map(viewNote)
  })
  route(api, createNote, async ({ body, caller }) => viewNote(await addNote(ctx, caller, body)))
  route(api, getNote, async ({ params, caller }) => viewNote(await requireNote(ctx.db, caller, params.pk)))
  route(api, editNote, async ({ params, body, caller }) =>
    viewNote(await changeNote(ctx, caller, { pk: params.pk, note: body.note })),
  )
  route(api, deleteNote, async ({ params, caller }) => {
    await removeNote(ctx, caller, params.pk)
    return null
  })
}

function viewNote({ pk, agent_id, username, note, entry_time }: Note): Note {
  return { pk, agent_id, username, note, entry_time }
}
