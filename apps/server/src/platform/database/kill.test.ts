import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from './open-database.ts'

const KILLS = 20

/** Writes rows as fast as it can, some in a transaction, and prints each one once it is acknowledged. */
const program = (folder: string, run: number) => `
  import { writeSync } from 'node:fs'
  import { openDatabase } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'open-database.ts')).href)}
  import { createTransactor } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'transaction.ts')).href)}
  const database = await openDatabase(undefined, ${JSON.stringify(folder)})
  await database.db.schema.createTable('rows').ifNotExists().addColumn('name', 'text', (col) => col.primaryKey()).execute()
  const insert = (db, name) => db.insertInto('rows').values({ name }).execute()
  const transaction = createTransactor(database, () => {})
  for (let i = 0; ; i++) {
    const name = '${run}-' + i
    await (i % 2 === 0 ? insert(database.db, name) : transaction((tx) => insert(tx, name)))
    writeSync(1, name + '\\n')
  }`

test(`kill -9 while writing loses no acknowledged row, ${KILLS} times in a row`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-kill-'))
  try {
    const acknowledged: string[] = []
    for (let run = 0; run < KILLS; run++) acknowledged.push(...(await writeUntilKilled(folder, run)))

    await using database = await openDatabase<{ rows: { name: string } }>(undefined, folder)
    const stored = new Set(
      (await database.db.selectFrom('rows').select('name').execute()).map(({ name }) => name),
    )
    expect(acknowledged.length).toBeGreaterThan(KILLS)
    expect(acknowledged.filter((name) => !stored.has(name))).toEqual([])
    const { rows } = await sql`pragma integrity_check`.execute(database.db)
    expect(rows).toEqual([{ integrity_check: 'ok' }])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

async function writeUntilKilled(folder: string, run: number): Promise<string[]> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program(folder, run)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  // Killed after a different number of rows each time.
  const enough = 1 + run * 37
  const output = createInterface(child.stdout).on('line', (line) => {
    lines.push(line)
    if (lines.length === enough) child.kill('SIGKILL')
  })
  await Promise.all([once(child, 'exit'), once(output, 'close')])
  return lines
}
