import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from './open-database.ts'

test('what was written moves from the log into the file while it is open, and no log stays behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-checkpoints-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const database = await openDatabase<{ houses: { name: string } }>(undefined, folder)
  await sql`create table houses (name text)`.execute(database.db)
  await database.db.insertInto('houses').values({ name: 'Seehaus' }).execute()
  await vi.waitFor(
    () => {
      const copy = join(folder, 'copy.db')
      copyFileSync(join(folder, 'muster.db'), copy)
      using file = new DatabaseSync(copy)
      expect(file.prepare('select name from houses').all()).toEqual([{ name: 'Seehaus' }])
    },
    { timeout: 10_000 },
  )
  await database[Symbol.asyncDispose]()
  expect(readdirSync(folder).filter((name) => name.startsWith('muster.db'))).toEqual(['muster.db'])
})
