import { CheckDefinition } from '@muster/contract/agent/checks'
import type { CommandInput } from '@muster/contract/agent/commands'
import { z } from 'zod'
import type { Database } from '../state/database.ts'
import type { Kept } from '../state/kept.ts'
import type { State } from '../state/state.ts'

/** What a `set-checks` brings. Definitions are read one by one, so that one that is not understood spoils no other. */
export type WantedChecks = Omit<CommandInput<'set-checks'>, 'put'> & { put: readonly unknown[] }

/** When a check runs; what it measures stays on disk until then. */
export interface PlannedCheck {
  id: number
  revision: string
  runIntervalSeconds: number
}

/** A check that this agent does not understand: it is run all the same, and says so. */
export interface UnknownCheck {
  id: number
  revision: string
  check_type: 'unknown'
  reason: string
}

/** Scripts make definitions large; beyond this a server asks for more than a machine should keep. */
const MAX_TEXT_BYTES = 100 * 1024 * 1024
const TOO_MUCH = '{"check_type":"too_much"}'
const VERSION = 'checks_version'
const UNKNOWN_INTERVAL_SECONDS = 120

const Head = z.object({
  id: z.int(),
  revision: z.string().max(64),
  run_interval_seconds: z.int().min(10).max(86_400).catch(UNKNOWN_INTERVAL_SECONDS),
})

/** The checks that the server wants on this machine, in the state database: they outlive a restart without a server. */
export class CheckDefinitions {
  #state: State
  #kept: Kept

  constructor(options: { state: State; kept: Kept }) {
    this.#state = options.state
    this.#kept = options.kept
  }

  /** The version that is wholly at hand, or 0. */
  get version(): number {
    return this.listMissing().length === 0 ? Number(this.#kept.find(VERSION) ?? 0) : 0
  }

  /** Takes over what is wanted and brought, and forgets the rest. */
  set({ version, wanted, put }: WantedChecks): void {
    this.#state.write((database) => {
      const revisions = new Map(wanted.map(({ id, revision }) => [id, revision]))
      for (const { id } of database.all('select id from checks'))
        if (!revisions.has(Number(id))) database.run('delete from checks where id = ?', id ?? null)
      for (const [id, revision] of revisions) want(database, id, revision)
      let bytes = countBytes(database)
      for (const brought of put) bytes += keep(database, brought, MAX_TEXT_BYTES - bytes)
      this.#kept.save(VERSION, String(version))
    })
  }

  /** The checks whose definitions are at hand. */
  listPlanned(): PlannedCheck[] {
    const rows = this.#state.read((database) =>
      database.all('select id, revision, run_interval_seconds from checks where definition is not null'),
    )
    return rows.map((row) => ({
      id: Number(row.id),
      revision: String(row.revision),
      runIntervalSeconds: Number(row.run_interval_seconds),
    }))
  }

  listMissing(): number[] {
    const rows = this.#state.read((database) =>
      database.all('select id from checks where definition is null order by id'),
    )
    return rows.map(({ id }) => Number(id))
  }

  find(id: number): CheckDefinition | UnknownCheck | undefined {
    const row = this.#state.read((database) =>
      database.find('select revision, definition from checks where id = ?', id),
    )
    if (typeof row?.definition !== 'string') return undefined
    const parsed = CheckDefinition.safeParse(JSON.parse(row.definition))
    return parsed.success
      ? parsed.data
      : { id, revision: String(row.revision), check_type: 'unknown', reason: describeUnknown(row.definition) }
  }

  has(id: number): boolean {
    return (
      this.#state.read((database) => database.find('select 1 from checks where id = ?', id)) !== undefined
    )
  }

  isCurrent(id: number, revision: string): boolean {
    return (
      this.#state.read((database) =>
        database.find('select 1 from checks where id = ? and revision = ?', id, revision),
      ) !== undefined
    )
  }
}

function countBytes(database: Database): number {
  return Number(database.find('select total(octet_length(definition)) as bytes from checks')?.bytes ?? 0)
}

/** Keeps what was brought if it is wanted; answers the bytes that it takes. */
function keep(database: Database, brought: unknown, roomBytes: number): number {
  const head = Head.safeParse(brought)
  if (!head.success) return 0
  const { id, revision, run_interval_seconds } = head.data
  const whole = JSON.stringify(brought)
  const text = Buffer.byteLength(whole) <= roomBytes ? whole : TOO_MUCH
  const changed = database.run(
    'update checks set definition = ?, run_interval_seconds = ? where id = ? and revision = ?',
    text,
    run_interval_seconds,
    id,
    revision,
  )
  return changed === 0 ? 0 : Buffer.byteLength(text)
}

/** A check of another revision is another check: what was known of it is forgotten. */
function want(database: Database, id: number, revision: string): void {
  database.run(
    `insert into checks (id, revision, run_interval_seconds, definition) values (?, ?, ?, null)
     on conflict (id) do update set revision = excluded.revision, definition = null
       where revision <> excluded.revision`,
    id,
    revision,
    UNKNOWN_INTERVAL_SECONDS,
  )
}

function describeUnknown(text: string): string {
  const { check_type } = z.looseObject({ check_type: z.unknown() }).parse(JSON.parse(text))
  if (check_type === 'too_much')
    return 'This machine has more check scripts than it can keep: remove some of them.'
  return `The agent on this machine does not understand this check (${String(check_type).slice(0, 50)}). Update the agent.`
}
