import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Context, createContext } from '../../context.ts'
import { readConfig } from '../../platform/config/config.ts'
import type { Engine } from '../../platform/database/columns.ts'
import { createPostgresDatabase } from '../../platform/database/test-engines.ts'
import { requireImage, requireTemplate } from '../../platform/database/test-template.ts'
import { requirePartitions } from '../../samples/partitions.ts'
import { createGiven } from '../../testing/test-given.ts'
import { createTestLog } from '../../testing/test-log.ts'
import { givenPackageFile } from '../software/package-files/test-package-files.ts'
import { listColumns, listTables } from './read-tables.ts'

export const PASSPHRASE = 'seventeen green bottles'

const ENGINE = process.env['MUSTER_TEST_ENGINE'] === 'postgres' ? 'postgres' : 'sqlite'

/** A data folder, and a database on the engine: empty, or that of a new server. Gone when disposed. */
export async function givenInstallation(options: { engine?: Engine; isNew?: boolean } = {}) {
  const { engine = ENGINE, isNew = false } = options
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'muster-backup-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const dataFolder = join(folder, 'data')
  const env: Record<string, string> = { MUSTER_DATA: dataFolder }
  if (engine === 'postgres') {
    const server = process.env['MUSTER_TEST_POSTGRES'] ?? ''
    const template = isNew ? await requireTemplate(server) : undefined
    env['DATABASE_URL'] = stack.use(await createPostgresDatabase(template)).url
  } else if (isNew) {
    await mkdir(dataFolder, { mode: 0o700 })
    await writeFile(join(dataFolder, 'muster.db'), await requireImage(), { mode: 0o600 })
  }
  const resources = stack.move()
  return { folder, config: readConfig(env), [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Opens the database and keys as a server does, by its clock or that of `now`. */
export async function openInstallation(
  { config }: { config: Context['config'] },
  options: { now?: () => Date } = {},
): Promise<Context> {
  return createContext(config, { log: createTestLog().log, ...options })
}

/** Rows with every kind of value (text of all planes, bytes, fractions, null), and files of each kind. */
export async function fillInstallation(ctx: Context) {
  const given = await createGiven(ctx)
  const { db, config } = ctx
  const { id: client_id } = await given.client({ name: 'Müller \u{1F9CA} "GmbH"' })
  const site = await given.site({ client_id })
  const agent = await given.agent({ site_id: site.id, hostname: `PC-${'\u{1F5A5}'.repeat(50)}` })
  await db
    .updateTable('agents')
    .set({ clock_skew_seconds: 0.1 + 0.2 })
    .where('id', '=', agent.id)
    .execute()
  for (let count = 0; count < 250; count += 1) await given.client()
  const gone = await given.client()
  await db.deleteFrom('clients').where('id', '=', gone.id).execute()
  const series = await db
    .insertInto('series')
    .values({ agent_id: agent.agent_id, name: 'cpu', unit: '%', check_id: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  const chunks = [0, 300, 3600].map((resolution) => ({
    series_id: series.id,
    resolution,
    start: 1_790_000_000 - (1_790_000_000 % 2_592_000),
    points: randomBytes(700),
  }))
  await requirePartitionsOf(ctx, chunks)
  await db.insertInto('sample_chunks').values(chunks).execute()
  const file = await givenPackageFile(db, 'Large')
  const parts = [2, 3, 4].map((number) => ({ file, number, data: randomBytes(1024 * 1024) }))
  for (const part of parts) await db.insertInto('package_file_parts').values(part).execute()
  await mkdir(join(config.dataFolder, 'recordings'))
  await mkdir(join(config.dataFolder, 'packages'))
  await writeFile(join(config.dataFolder, 'recordings', 'one'), randomBytes(2_500_000))
  await writeFile(join(config.dataFolder, 'recordings', 'empty'), '')
  await writeFile(join(config.dataFolder, 'packages', 'built again'), 'x')
  await db
    .insertInto('settings')
    .values({ name: 'sealed', value: ctx.secrets.encrypt('geheim') })
    .execute()
  return { site, agent, gone }
}

function requirePartitionsOf(ctx: Context, chunks: { resolution: number; start: number }[]): Promise<void> {
  return ctx.engine === 'postgres' ? requirePartitions(ctx, chunks) : Promise.resolve()
}

/** Every row of every table, as text that can be compared. */
export async function readEverything(ctx: Context): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {}
  for (const table of await listTables(ctx.db, ctx.engine)) {
    const columns = await listColumns(ctx.db, ctx.engine, table)
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(ctx.db)
    const show = (value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
    all[table] = rows.map((row) => JSON.stringify(columns.map((column) => show(row[column])))).toSorted()
  }
  return all
}
