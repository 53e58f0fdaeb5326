import type { Note } from '@muster/contract/api/notes'

export function viewNote({ pk, agent_id, username, note, entry_time }: Note): Note {
  return { pk, agent_id, username, note, entry_time }
}
