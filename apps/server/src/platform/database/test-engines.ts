import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { Client } from 'pg'
import type { Engine } from './columns.ts'
import { openDatabase, openMemory, type OpenDatabase } from './open-database.ts'
import { requireImage, requireTemplate } from './test-template.ts'

export interface TestEngine {
  engine: Engine
  open: <DB>() => Promise<OpenDatabase<DB>>
}

/**
 * The engines to test: SQLite in memory always, PostgreSQL if MUSTER_TEST_POSTGRES names a server on which databases
 * may be created (`node tools/test-postgres.ts vitest run ...` provides one).
 *
 *     describe.each(testEngines)('$engine', ({ open }) => {
 *       test('...', async () => { await using database = await open<Database>() ... })
 *     })
 */
export const testEngines: readonly TestEngine[] = [
  { engine: 'sqlite', open: async <DB>() => openMemory<DB>() },
  ...(process.env['MUSTER_TEST_POSTGRES'] === undefined
    ? []
    : [{ engine: 'postgres' as const, open: async <DB>() => openFreshPostgres<DB>() }]),
]

/** An empty database on the engine named by MUSTER_TEST_ENGINE (default sqlite). Deleted when disposed. */
export async function openTestDatabase<DB>(): Promise<OpenDatabase<DB>> {
  const engine = process.env['MUSTER_TEST_ENGINE'] ?? 'sqlite'
  const found = testEngines.find((candidate) => candidate.engine === engine)
  if (found === undefined) {
    throw new Error(`MUSTER_TEST_ENGINE=${engine}, but MUSTER_TEST_POSTGRES names no server to test on`)
  }
  return found.open()
}

/** A database with the server's schema: a copy of one that the first test migrated, which takes most of its time. */
export async function openMigratedDatabase<DB>(): Promise<OpenDatabase<DB>> {
  if (process.env['MUSTER_TEST_ENGINE'] !== 'postgres') return openMemory({ image: await requireImage() })
  return openFreshPostgres(await requireTemplate(requireServer()))
}

/** A new database on the test server, with its URL for tests that start programs. */
export async function createPostgresDatabase(template?: string): Promise<AsyncDisposable & { url: string }> {
  const server = requireServer()
  const name = `muster_test_${randomUUID().replaceAll('-', '')}`
  await runOn(server, `create database ${name}${template === undefined ? '' : ` template ${template}`}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    url: url.href,
    [Symbol.asyncDispose]: () => runOn(server, `drop database ${name} with (force)`),
  }
}

async function openFreshPostgres<DB>(template?: string): Promise<OpenDatabase<DB>> {
  const fresh = await createPostgresDatabase(template)
  const database = await openDatabase<DB>(fresh.url, tmpdir())
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      await fresh[Symbol.asyncDispose]()
    },
  }
}

function requireServer(): string {
  const url = process.env['MUSTER_TEST_POSTGRES']
  if (url === undefined) throw new Error('MUSTER_TEST_POSTGRES names no PostgreSQL server to test on')
  return url
}

async function runOn(server: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
