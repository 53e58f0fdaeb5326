import { AgentRow } from '@muster/contract/api/agents'
import type { LiveMessage } from '@muster/contract/live-messages'
import type { Scope } from '../../platform/http/caller.ts'
import type { AgentLocation, Visibility } from './visibility.ts'

/** The source of the rows of the machines table. */
export interface AgentRowSource {
  list(caller: { scope: Scope }, filter: object): Promise<AgentRow[]>
  /** The current rows of these machines. Unknown ids are skipped. */
  rowsOf(agentIds: Iterable<string>): Promise<AgentRow[]>
  onChanged(handler: (agentIds: string[]) => void): void
}

export interface AgentChange {
  agentId: string
  /** Absent for a new machine. */
  before: AgentRow | undefined
  /** Absent for a deleted machine. */
  after: AgentRow | undefined
  /** Names of the changed fields. */
  fields: Set<keyof AgentRow>
  /** JSON of the changed fields after the agent_id. Absent without changes. */
  json: string | undefined
}

/** Larger frames are not sent: fetching the compressed list is cheaper. */
const MAX_FRAME_LENGTH = 2 * 1024 * 1024
// The keys of the schema's shape are those of the row.
const FIELDS = Object.keys(AgentRow.shape) as (keyof AgentRow)[]
/** A console shows one client, site or type of machines: a change of these fields can add or remove the machine. */
const PLACING: ReadonlySet<keyof AgentRow> = new Set(['client_id', 'site_id', 'monitoring_type'])

/**
 * The rows as known by the consoles: held while at least one console is connected, and compared with the current rows
 * after a possible change. They are the source's own objects, so holding them costs little.
 */
export class SentRows {
  #source: AgentRowSource
  #rows: Map<string, AgentRow> | undefined
  #loading: Promise<void> | undefined
  #stale = new Set<string>()
  /** Changed more than once since the last frame: a list may have shown a value in between. */
  #restless = new Set<string>()

  constructor(source: AgentRowSource) {
    this.#source = source
  }

  /** Loads the rows that every console knows after fetching the list, which it does after this. */
  async load(): Promise<void> {
    if (this.#rows !== undefined) return
    this.#loading ??= this.#read().finally(() => {
      this.#loading = undefined
    })
    await this.#loading
  }

  clear(): void {
    this.#rows = undefined
    this.#stale.clear()
    this.#restless.clear()
  }

  locationOf(agentId: string): AgentLocation | undefined {
    return this.#rows?.get(agentId)
  }

  values(): Iterable<AgentRow> {
    return this.#rows?.values() ?? []
  }

  /** Something about these machines may have changed. */
  mark(agentIds: Iterable<string>): void {
    for (const id of agentIds) {
      if (this.#stale.has(id)) this.#restless.add(id)
      this.#stale.add(id)
    }
  }

  async takeChanges(): Promise<AgentChange[]> {
    const known = this.#rows
    if (known === undefined || this.#stale.size === 0) return []
    const stale = this.#stale
    const restless = this.#restless
    this.#stale = new Set()
    this.#restless = new Set()
    try {
      const rows = await this.#source.rowsOf(stale)
      // The last console has left in the meantime.
      if (known !== this.#rows) return []
      const now = new Map(rows.map((row) => [row.agent_id, row]))
      return Array.from(stale, (id) => replaceRow(known, id, now.get(id), restless.has(id))).filter(
        (change) => change !== undefined,
      )
    } catch (error) {
      this.mark(stale)
      this.mark(restless)
      throw error
    }
  }

  async #read(): Promise<void> {
    const rows = await this.#source.list({ scope: { all: true } }, {})
    this.#rows = new Map(rows.map((row) => [row.agent_id, row]))
  }
}

/** The `agents` message with the visible changes, or undefined without any. */
export function writeFrame(changes: AgentChange[], visibleScope: Visibility): string | undefined {
  const changed: string[] = []
  const added: string[] = []
  const removed: string[] = []
  for (const { agentId, before, after, fields, json } of changes) {
    const saw = before !== undefined && visibleScope.sees(before)
    const sees = after !== undefined && visibleScope.sees(after)
    if (!saw && !sees) continue
    if (!sees) removed.push(agentId)
    else if (!saw) added.push(agentId)
    else {
      if (json !== undefined) changed.push(json)
      if (!PLACING.isDisjointFrom(fields)) added.push(agentId)
    }
  }
  if (changed.length + added.length + removed.length === 0) return undefined
  const text = `{"type":"agents","changed":[${changed.join(',')}],"added":${JSON.stringify(added)},"removed":${JSON.stringify(removed)}}`
  if (text.length <= MAX_FRAME_LENGTH) return text
  const instead: LiveMessage = { type: 'agents', changed: [], added: [], removed: [], all: true }
  return JSON.stringify(instead)
}

function replaceRow(
  known: Map<string, AgentRow>,
  agentId: string,
  after: AgentRow | undefined,
  isRestless: boolean,
): AgentChange | undefined {
  const before = known.get(agentId)
  if (after === undefined) known.delete(agentId)
  else known.set(agentId, after)
  if (before === undefined || after === undefined) {
    if (before === after) return undefined
    return { agentId, before, after, fields: new Set(), json: undefined }
  }
  const fields = changedFields(before, after)
  if (isRestless) return { agentId, before, after, fields, json: JSON.stringify(after) }
  if (fields.size === 0) return undefined
  const parts: Partial<Record<keyof AgentRow, unknown>> = { agent_id: agentId }
  for (const field of fields) parts[field] = after[field]
  return { agentId, before, after, fields, json: JSON.stringify(parts) }
}

function changedFields(before: AgentRow, after: AgentRow): Set<keyof AgentRow> {
  const fields = new Set<keyof AgentRow>()
  if (before === after) return fields
  for (const field of FIELDS) {
    if (before[field] !== after[field] && !isSame(before[field], after[field])) fields.add(field)
  }
  // For a connected machine this is the time when the row was read, which no console has received.
  if (before.connected && after.connected) fields.delete('last_seen')
  else if (before.connected) fields.add('last_seen')
  return fields
}

function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return false
  if (Array.isArray(a) && a.length === 0) return Array.isArray(b) && b.length === 0
  return JSON.stringify(a) === JSON.stringify(b)
}
