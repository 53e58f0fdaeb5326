import { type Kysely, sql } from 'kysely'
import { instantColumn } from '../columns.ts'

export const name = '0053-server-script-approvals'
export const changesData = true

/** Script versions that may run on the server. Scripts that alert templates already run there count as approved. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('server_script_approvals')
    .addColumn('script_id', 'integer', (col) => col.primaryKey().references('scripts.id').onDelete('cascade'))
    .addColumn('shell', 'text', (col) => col.notNull())
    .addColumn('code', 'text', (col) => col.notNull())
    .addColumn('approved_by', 'text', (col) => col.notNull())
    .addColumn('approved_at', ...instantColumn())
    .execute()
  const templates = await sql<{ settings: string }>`select settings from alert_templates`.execute(db)
  const ids = new Set<number>()
  for (const { settings } of templates.rows) {
    // Written by the alert templates of that version.
    const stored = JSON.parse(settings) as Record<string, unknown>
    for (const kind of ['action', 'resolved_action']) {
      const id = stored[kind]
      if (stored[`${kind}_type`] === 'server' && typeof id === 'number') ids.add(id)
    }
  }
  if (ids.size === 0) return
  const snippets = await sql<{ name: string; code: string }>`select name, code from script_snippets`.execute(
    db,
  )
  const codes = new Map(snippets.rows.map((snippet) => [snippet.name, snippet.code]))
  const at = new Date().toISOString()
  for (const id of ids) {
    const { rows } = await sql<{ shell: string; body: string }>`
      select shell, script_body as body from scripts where id = ${id}`.execute(db)
    for (const { shell, body } of rows) {
      const code = body.replaceAll(
        /\{\{([^{}\n]{1,100})\}\}/g,
        (written, snippet: string) => codes.get(snippet.trim()) ?? written,
      )
      await sql`insert into server_script_approvals (script_id, shell, code, approved_by, approved_at)
        values (${id}, ${shell}, ${code}, '', ${at})`.execute(db)
    }
  }
}
