import type { CommandInput } from '@muster/contract/agent/commands'
import { TaskDefinition, TaskSchedule } from '@muster/contract/agent/tasks'
import { z } from 'zod'
import type { Database } from '../state/database.ts'
import type { Kept } from '../state/kept.ts'
import type { State } from '../state/state.ts'

/** What a `set-tasks` brings. Definitions are read one by one, so that one that is not understood spoils no other. */
export type WantedTasks = Omit<CommandInput<'set-tasks'>, 'put'> & { put: readonly unknown[] }

/** When a task runs; what it does stays on disk until then. */
const Plan = z.object({
  id: z.int(),
  enabled: z.boolean(),
  schedule: TaskSchedule,
  counts_from: z.iso.datetime(),
  run_asap_after_missed: z.boolean(),
})
export type PlannedTask = z.infer<typeof Plan> & {
  revision: string
  /** Runs up to this moment have taken place or were missed. Null while nothing is known. */
  handledMs: number | null
  onboarded: boolean
}

/** Scripts make definitions large; beyond this a server asks for more than a machine should keep. */
const MAX_TEXT_BYTES = 50 * 1024 * 1024
const TOO_MUCH = '{}'
const VERSION = 'tasks_version'

const Head = z.object({ id: z.int(), revision: z.string().max(64) })

/** The tasks that the server wants on this machine, in the state database: they outlive a restart without a server. */
export class TaskDefinitions {
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
  set({ version, wanted, put }: WantedTasks): void {
    this.#state.write((database) => {
      const revisions = new Map(wanted.map(({ id, revision }) => [id, revision]))
      for (const { id } of database.all('select id from tasks'))
        if (!revisions.has(Number(id))) database.run('delete from tasks where id = ?', id ?? null)
      for (const [id, revision] of revisions) want(database, id, revision)
      let bytes = countBytes(database)
      for (const brought of put) bytes += keep(database, brought, MAX_TEXT_BYTES - bytes)
      this.#kept.save(VERSION, String(version))
    })
  }

  listMissing(): number[] {
    const rows = this.#state.read((database) =>
      database.all('select id from tasks where definition is null order by id'),
    )
    return rows.map(({ id }) => Number(id))
  }

  /** The tasks that are at hand; `unknown`: those that this agent does not understand. */
  list(): { planned: PlannedTask[]; unknown: { id: number; revision: string }[] } {
    const rows = this.#state.read((database) =>
      database.all('select * from tasks where definition is not null order by id'),
    )
    const planned: PlannedTask[] = []
    const unknown: { id: number; revision: string }[] = []
    for (const row of rows) {
      const parsed = TaskDefinition.safeParse(JSON.parse(String(row.definition)))
      const [id, revision] = [Number(row.id), String(row.revision)]
      if (!parsed.success) {
        unknown.push({ id, revision })
        continue
      }
      const handledMs = row.handled_ms === null ? null : Number(row.handled_ms)
      planned.push({ ...Plan.parse(parsed.data), revision, handledMs, onboarded: row.onboarded === 1 })
    }
    return { planned, unknown }
  }

  find(id: number): TaskDefinition | undefined {
    const row = this.#state.read((database) => database.find('select definition from tasks where id = ?', id))
    if (typeof row?.definition !== 'string') return undefined
    return TaskDefinition.safeParse(JSON.parse(row.definition)).data
  }

  has(id: number): boolean {
    return this.#state.read((database) => database.find('select 1 from tasks where id = ?', id)) !== undefined
  }

  saveHandled(id: number, handledMs: number): void {
    this.#state.write((database) =>
      database.run('update tasks set handled_ms = ? where id = ?', Math.floor(handledMs), id),
    )
  }

  saveOnboarded(id: number): void {
    this.#state.write((database) => database.run('update tasks set onboarded = 1 where id = ?', id))
  }
}

function countBytes(database: Database): number {
  return Number(database.find('select total(octet_length(definition)) as bytes from tasks')?.bytes ?? 0)
}

/** Keeps what was brought if it is wanted; answers the bytes that it takes. */
function keep(database: Database, brought: unknown, roomBytes: number): number {
  const head = Head.safeParse(brought)
  if (!head.success) return 0
  const { id, revision } = head.data
  const whole = JSON.stringify(brought)
  const text = Buffer.byteLength(whole) <= roomBytes ? whole : TOO_MUCH
  const sql = 'update tasks set definition = ? where id = ? and revision = ?'
  return database.run(sql, text, id, revision) === 0 ? 0 : Buffer.byteLength(text)
}

/** A task of another revision is the same task with something new to do: what it has done stays known. */
function want(database: Database, id: number, revision: string): void {
  database.run(
    `insert into tasks (id, revision) values (?, ?)
     on conflict (id) do update set revision = excluded.revision, definition = null
       where revision <> excluded.revision`,
    id,
    revision,
  )
}
