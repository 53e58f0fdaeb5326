import type { Snippet } from '@muster/contract/api/snippets'
import type { SnippetRow } from './queries.ts'

export function viewSnippet({ id, name, description, code, shell, modified }: SnippetRow): Snippet {
  return { id, name, desc: description, code, shell, modified }
}

/** What the audit log keeps of a snippet. */
export function viewForAudit({ name, description, code, shell }: SnippetRow) {
  return { name, desc: description, code, shell }
}
