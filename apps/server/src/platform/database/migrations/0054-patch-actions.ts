import { type Kysely, sql } from 'kysely'

export const name = '0054-patch-actions'
export const changesData = true

/** Numbers the patches of each machine, so that a decision can be stored for each one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('machine_patches')
    .addColumn('last_number', 'integer', (col) => col.notNull().defaultTo(0))
    .execute()
  const { rows } = await sql<{ agent: number; patches: string }>`
    select agent, patches from machine_patches`.execute(db)
  for (const { agent, patches } of rows) {
    // Written by the patches of that version.
    const numbered = (JSON.parse(patches) as object[]).map((patch, index) => {
      return { ...patch, number: index + 1, action: 'inherit' }
    })
    await sql`update machine_patches
      set patches = ${JSON.stringify(numbered)}, last_number = ${numbered.length}
      where agent = ${agent}`.execute(db)
  }
}
