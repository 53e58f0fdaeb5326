import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, AgentParams, Id, Instant, ListQuery, Nothing } from '../fields.ts'

export const Note = z.object({
  pk: z.int(),
  agent_id: AgentId,
  username: z.string(),
  note: z.string(),
  entry_time: Instant,
})
export type Note = z.infer<typeof Note>
const NoteText = z.string().trim().min(1, 'A note needs a text.').max(100_000)

export const listNotes = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/notes/',
  access: 'can_list_notes',
  summary: 'List the notes of a machine, newest first',
  params: AgentParams,
  query: ListQuery,
  response: z.array(Note),
  paged: true,
})

export const listAllNotes = endpoint({
  method: 'GET',
  path: '/agents/notes/',
  access: 'can_list_notes',
  summary: 'List the notes of every machine that the caller may see',
  query: ListQuery,
  response: z.array(Note),
  paged: true,
})

export const createNote = endpoint({
  method: 'POST',
  path: '/agents/notes/',
  access: 'can_manage_notes',
  summary: 'Add a note to a machine',
  body: z.object({ agent_id: AgentId, note: NoteText }),
  response: Note,
})

export const getNote = endpoint({
  method: 'GET',
  path: '/agents/notes/:pk/',
  access: 'can_list_notes',
  summary: 'One note',
  params: z.object({ pk: Id }),
  response: Note,
})

export const editNote = endpoint({
  method: 'PUT',
  path: '/agents/notes/:pk/',
  access: 'can_manage_notes',
  summary: 'Change the text of a note',
  params: z.object({ pk: Id }),
  body: z.object({ note: NoteText }),
  volatile: [],
  response: Note,
})

export const deleteNote = endpoint({
  method: 'DELETE',
  path: '/agents/notes/:pk/',
  access: 'can_manage_notes',
  summary: 'Delete a note',
  params: z.object({ pk: Id }),
  response: Nothing,
})
