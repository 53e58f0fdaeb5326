import { createHash } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { openDatabase } from './open-database.ts'

/** An arbitrary number: one process at a time creates the template. */
const ADVISORY_LOCK = 4_127_730_981

let template: Promise<string> | undefined
let image: Promise<Uint8Array> | undefined

/** Returns a SQLite database with all migrations, as `openMemory` takes it. */
export function requireImage(): Promise<Uint8Array> {
  return (image ??= makeImage())
}

async function makeImage(): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-image-'))
  try {
    const database = await openDatabase<unknown>(undefined, folder)
    await migrate(database, { migrations, dataFolder: folder })
    await database[Symbol.asyncDispose]()
    using file = new DatabaseSync(join(folder, 'muster.db'))
    // A database in memory has no write-ahead log.
    file.exec('pragma journal_mode = delete')
    return file.serialize()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the name of the template database with all migrations, and creates it if needed. */
export function requireTemplate(server: string): Promise<string> {
  return (template ??= findOrMake(server))
}

async function findOrMake(server: string): Promise<string> {
  const name = `muster_template_${hashMigrations()}`
  const client = new Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(${ADVISORY_LOCK})`)
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount === 0) await make(client, server, name)
    return name
  } finally {
    await client.end()
  }
}

async function make(client: Client, server: string, name: string): Promise<void> {
  const unfinished = `${name}_new`
  await client.query(`drop database if exists ${unfinished} with (force)`)
  await client.query(`create database ${unfinished}`)
  const url = new URL(server)
  url.pathname = `/${unfinished}`
  const database = await openDatabase<unknown>(url.href, tmpdir())
  try {
    await migrate(database, { migrations, dataFolder: tmpdir() })
  } finally {
    await database[Symbol.asyncDispose]()
  }
  await client.query(`alter database ${unfinished} rename to ${name}`)
}

/** Hashes the sources: changed migrations create another template on a server that keeps running. */
function hashMigrations(): string {
  const hash = createHash('sha256')
  for (const file of globSync(join(import.meta.dirname, 'migrations/*.ts')).toSorted()) {
    hash.update(readFileSync(file))
  }
  return hash.digest('hex').slice(0, 16)
}
