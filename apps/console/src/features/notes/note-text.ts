import type { Note } from '@muster/contract/api/notes'

const EXCERPT = 140

/** The beginning of a note on one line, to identify it. */
export function excerptOf(note: string): string {
  const line = note.trim().replaceAll(/\s+/g, ' ')
  // By code points, so that no half of a pair is left at the end.
  const points = Array.from(line.slice(0, EXCERPT * 2))
  return points.length <= EXCERPT && line.length <= EXCERPT * 2
    ? line
    : `${points.slice(0, EXCERPT).join('')} …`
}

export const countLabel = (count: number): string => `${count} ${count === 1 ? 'note' : 'notes'}`

/** The notes as rows of a file. */
export function notesTable(notes: readonly Note[]): string[][] {
  return [
    ['Time', 'User', 'Note'],
    ...notes.map(({ entry_time, username, note }) => [entry_time, username, note]),
  ]
}
