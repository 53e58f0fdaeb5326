import { z } from 'zod'
import type { Database } from './database.ts'
import type { KeyValueStore, State } from './state.ts'
import type { Seal } from './seal.ts'

/**
 * The content of `set-checks` or `set-tasks`. Definitions are parsed one by one, so that an unsupported one does not
 * affect the others.
 */
export interface Wanted {
  version: number
  wanted: readonly { id: number; revision: string }[]
  put: readonly unknown[]
}

export interface DefinitionsOptions {
  state: State
  keyValues: KeyValueStore
  seal: Seal
}

interface Kind {
  table: 'checks' | 'tasks'
  /** The key under which the version is stored. */
  versionName: string
  /** Scripts make definitions large. Beyond this limit, definitions are not stored. */
  maxTextBytes: number
  /** Stored in place of a definition beyond the limit. */
  tooMuch: string
}

const Head = z.object({ id: z.int(), revision: z.string().max(64) })

/**
 * Definitions of one kind, stored in the state database so that they survive a restart without a server. Rows are
 * identified by id and revision. Definitions are encrypted, because they contain values of secrets.
 */
export abstract class Definitions {
  protected readonly state: State
  #keyValues: KeyValueStore
  #seal: Seal
  #kind: Kind

  constructor(options: DefinitionsOptions, kind: Kind) {
    this.state = options.state
    this.#keyValues = options.keyValues
    this.#seal = options.seal
    this.#kind = kind
    this.#sealAll()
  }

  /** Creates the row of a new definition. Does nothing if the id exists. */
  protected abstract addRow(database: Database, id: number, revision: string): void

  /** Updates columns that depend on the stored definition. */
  protected noteKept(_database: Database, _id: number, _brought: unknown): void {}

  /** The version that is stored completely, or 0. */
  get version(): number {
    return this.listMissing().length === 0 ? Number(this.#keyValues.find(this.#kind.versionName) ?? 0) : 0
  }

  /** Stores the current definitions and removes the others. */
  set({ version, wanted, put }: Wanted): void {
    const { table, maxTextBytes, versionName } = this.#kind
    this.state.write((database) => {
      const revisions = new Map(wanted.map(({ id, revision }) => [id, revision]))
      for (const { id } of database.all(`select id from ${table}`))
        if (!revisions.has(Number(id))) database.run(`delete from ${table} where id = ?`, id ?? null)
      for (const [id, revision] of revisions) this.#want(database, id, revision)
      let bytes = this.#countBytes(database)
      for (const brought of put) bytes += this.#keep(database, brought, maxTextBytes - bytes)
      this.#keyValues.save(versionName, String(version))
    })
  }

  listMissing(): number[] {
    const sql = `select id from ${this.#kind.table} where definition is null order by id`
    return this.state.read((database) => database.all(sql)).map(({ id }) => Number(id))
  }

  has(id: number): boolean {
    const sql = `select 1 from ${this.#kind.table} where id = ?`
    return this.state.read((database) => database.find(sql, id)) !== undefined
  }

  isCurrent(id: number, revision: string): boolean {
    const sql = `select 1 from ${this.#kind.table} where id = ? and revision = ?`
    return this.state.read((database) => database.find(sql, id, revision)) !== undefined
  }

  protected findText(id: number): { revision: string; text: string } | undefined {
    const sql = `select revision, definition from ${this.#kind.table} where id = ?`
    const row = this.state.read((database) => database.find(sql, id))
    if (typeof row?.definition !== 'string') return undefined
    const text = this.open(row.definition)
    return text === undefined ? undefined : { revision: String(row.revision), text }
  }

  protected open(definition: string): string | undefined {
    return this.#seal.open(definition)
  }

  /** Encrypts plain definitions of older agents. Those encrypted with another machine's key are requested again. */
  #sealAll(): void {
    const { table } = this.#kind
    this.state.write((database) => {
      for (const { id, definition } of database.all(
        `select id, definition from ${table} where definition is not null`,
      )) {
        const [sealed, text] = [String(definition), this.open(String(definition))]
        if (text !== undefined && text !== sealed) continue
        const next = text === undefined ? null : this.#seal.seal(text)
        database.run(`update ${table} set definition = ? where id = ?`, next, id ?? null)
      }
    })
  }

  #countBytes(database: Database): number {
    const sql = `select total(octet_length(definition)) as bytes from ${this.#kind.table}`
    return Number(database.find(sql)?.bytes ?? 0)
  }

  #want(database: Database, id: number, revision: string): void {
    const { table } = this.#kind
    this.addRow(database, id, revision)
    const sql = `update ${table} set revision = ?, definition = null where id = ? and revision <> ?`
    database.run(sql, revision, id, revision)
  }

  /** Stores a definition if it is current. Returns its size in bytes. */
  #keep(database: Database, brought: unknown, roomBytes: number): number {
    const { table, tooMuch } = this.#kind
    const head = Head.safeParse(brought)
    if (!head.success) return 0
    const { id, revision } = head.data
    const whole = this.#seal.seal(JSON.stringify(brought))
    const text = whole.length <= roomBytes ? whole : this.#seal.seal(tooMuch)
    const sql = `update ${table} set definition = ? where id = ? and revision = ?`
    if (database.run(sql, text, id, revision) === 0) return 0
    this.noteKept(database, id, brought)
    return text.length
  }
}
