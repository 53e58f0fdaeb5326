import type { Snippet } from '@muster/contract/api/snippets'
import type { SnippetRow } from './queries.ts'

export function viewSnippet({ id, name, description, code, shell, modified }: SnippetRow): Snippet {
  return { id, name, desc: description, code, shell, modified }
}

/** The fields of a snippet in audit rows. */
export function viewForAudit({ name, description, code, shell }: SnippetRow) {
  return { name, desc: description, code, shell }
}
