import { expandSnippets } from '@muster/rules/agents/script-variables'
import type { Db } from '../../platform/database/database.ts'
import { findSnippetCodes } from './snippets/queries.ts'

/** Replaces `{{name}}` in scripts by snippets, with one query for all of them. */
export async function loadSnippets(db: Db): Promise<(body: string) => string> {
  const codes = await findSnippetCodes(db)
  if (codes.size === 0) return (body) => body
  return (body) => expandSnippets(body, (name) => codes.get(name))
}
