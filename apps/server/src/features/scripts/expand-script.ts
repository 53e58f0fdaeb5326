import { expandSnippets } from '@muster/rules/script-variables'
import type { Db } from '../../platform/database/database.ts'

/** Puts snippets in place of `{{name}}` in the bodies of scripts; asks the database once for all of them. */
export async function loadSnippets(db: Db): Promise<(body: string) => string> {
  const rows = await db.selectFrom('script_snippets').select(['name', 'code']).execute()
  if (rows.length === 0) return (body) => body
  const codes = new Map(rows.map(({ name, code }) => [name, code]))
  return (body) => expandSnippets(body, (name) => codes.get(name))
}
