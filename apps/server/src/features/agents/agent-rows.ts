import type { AgentRow } from '@muster/contract/api/agents'
import type { Event } from '@muster/contract/events'
import type { Context } from '../../context.ts'
import type { Scope } from '../../platform/http/caller.ts'
import { JsonPieces, JsonText } from '../../platform/http/route.ts'
import { type KeptRow, KeptRows, type RowFilter } from './kept-rows.ts'
import { type AgentsRow, findAgents, findAgentsAfter } from './queries.ts'
import type { SiteSum } from './site-sum.ts'
import { viewAgentRow } from './view.ts'

const SLICE = 250
/** Rows of one piece of a long answer: some 700 kB. */
const PIECE_ROWS = 600
/**
 * The rows of the machines table, ready to be sent, kept in memory: a list of ten thousand is a join of strings.
 * Events mark rows as stale; stale ones are read again before the next answer. The database stays the truth.
 */
export class AgentRows implements Disposable {
  #ctx: Context
  #rows = new KeptRows()
  #stale = new Set<string>()
  #allStale = true
  #loading: Promise<void> | undefined
  #handlers: ((agentIds: string[]) => void)[] = []
  #once = new Map<string, (() => void)[]>()
  #timer: NodeJS.Timeout
  /** Counts changes, for ETags. */
  version = 0

  constructor(ctx: Context) {
    this.#ctx = ctx
    ctx.onEvent((event) => this.#onEvent(event))
    ctx.bus.onReconnect(() => {
      this.#allStale = true
      this.#changed(this.#rows.ids())
    })
    this.#timer = setInterval(() => this.#findAged(), 1000)
    this.#timer.unref()
  }

  /** Calls back with the agent_ids whose rows have changed, appeared or gone. */
  onChanged(handler: (agentIds: string[]) => void): void {
    this.#handlers.push(handler)
  }

  /** Calls back once, at the next change of this machine's row. */
  onceChanged(agentId: string, handler: () => void): void {
    this.#once.set(agentId, [...(this.#once.get(agentId) ?? []), handler])
  }

  /** The rows of these machines; those that do not exist are missing. */
  async rowsOf(agentIds: Iterable<string>): Promise<AgentRow[]> {
    await this.#fresh()
    return Array.from(agentIds, (id) => this.#rows.get(id)?.row).filter((row) => row !== undefined)
  }

  async list(caller: { scope: Scope }, filter: RowFilter): Promise<AgentRow[]> {
    return (await this.#find(caller, filter)).map(({ row }) => row)
  }

  /** The same as JSON text; a long one in pieces, since that of ten thousand rows is 12 MB. */
  async listJson(caller: { scope: Scope }, filter: RowFilter): Promise<JsonText | JsonPieces> {
    const now = JSON.stringify(this.#ctx.now().toISOString())
    const found = await this.#find(caller, filter)
    if (found.length <= PIECE_ROWS) return new JsonText(`[${writeRows(found, now)}]`)
    return new JsonPieces(writePieces(found, now))
  }

  /** What the machines of each site add up to, whoever asks; sites without a machine are missing. */
  async sums(): Promise<Map<number, SiteSum>> {
    await this.#fresh()
    return this.#rows.sums()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  async #find(caller: { scope: Scope }, filter: RowFilter): Promise<KeptRow[]> {
    await this.#fresh()
    return this.#rows.find(caller, filter)
  }

  #onEvent(event: Event): void {
    if (event.type === 'agent.changed' || event.type === 'agent.added' || event.type === 'agent.removed') {
      const ids = event.ids.map(String)
      for (const id of ids) this.#stale.add(id)
      this.#changed(ids)
    } else if (event.type === 'alert_template.changed') {
      // Which one counts may be another for any of them.
      const ids = this.#rows.ids()
      for (const id of ids) this.#stale.add(id)
      this.#changed(ids)
    } else if (event.type === 'client.changed') {
      // Names of clients and sites stand in every row below them.
      const clients = new Set(event.ids)
      const rows = [...this.#rows.values()].filter(({ row }) => clients.has(row.client_id))
      const ids = rows.map(({ row }) => row.agent_id)
      for (const id of ids) this.#stale.add(id)
      this.#changed(ids)
    }
  }

  #changed(ids: string[]): void {
    if (ids.length === 0) return
    this.version += 1
    for (const handler of this.#handlers) handler(ids)
    if (this.#once.size === 0) return
    for (const id of ids) {
      for (const handler of this.#once.get(id) ?? []) handler()
      this.#once.delete(id)
    }
  }

  #findAged(): void {
    const nowMs = this.#ctx.now().getTime()
    const aged: string[] = []
    for (const { row, changesAt } of this.#rows.values()) if (changesAt <= nowMs) aged.push(row.agent_id)
    for (const id of aged) this.#stale.add(id)
    this.#changed(aged)
  }

  /**
   * Reads what was stale when it was called: one reading that runs already may have begun too early, so at most one
   * more follows. What changes meanwhile is for the next caller, or a busy fleet would never let anyone go.
   */
  async #fresh(): Promise<void> {
    if (this.#loading !== undefined) await this.#loading
    if (!this.#allStale && this.#stale.size === 0) return
    this.#loading ??= (this.#allStale ? this.#loadAll() : this.#loadStale()).finally(() => {
      this.#loading = undefined
    })
    await this.#loading
  }

  async #loadStale(): Promise<void> {
    const ids = [...this.#stale]
    this.#stale.clear()
    for (let from = 0; from < ids.length; from += SLICE) {
      const slice = ids.slice(from, from + SLICE)
      try {
        const rows = await findAgents(this.#ctx.db, slice)
        const gone = new Set(slice)
        for (const row of rows) {
          gone.delete(row.agent_id)
          this.#keep(row)
        }
        for (const id of gone) this.#rows.delete(id)
      } catch (error) {
        for (const id of ids.slice(from)) this.#stale.add(id)
        throw error
      }
      // SQLite answers without a pause: other requests get their turn between two slices.
      await new Promise(setImmediate)
    }
  }

  #keep(row: AgentsRow): void {
    const now = this.#ctx.now()
    this.#rows.keep(viewAgentRow(row, now), now.getTime())
  }

  async #loadAll(): Promise<void> {
    this.#allStale = false
    this.#stale.clear()
    try {
      const gone = new Set(this.#rows.ids())
      let afterId = 0
      for (;;) {
        const rows = await findAgentsAfter(this.#ctx.db, afterId, SLICE)
        for (const row of rows) {
          gone.delete(row.agent_id)
          this.#keep(row)
        }
        const last = rows.at(-1)
        if (last === undefined || rows.length < SLICE) break
        afterId = last.id
        await new Promise(setImmediate)
      }
      for (const id of gone) this.#rows.delete(id)
    } catch (error) {
      this.#allStale = true
      throw error
    }
  }
}

function writeRows(rows: KeptRow[], now: string): string {
  return rows
    .map(({ row, head, tail }) => head + (row.connected ? now : JSON.stringify(row.last_seen)) + tail)
    .join(',')
}

function* writePieces(rows: KeptRow[], now: string): Generator<string> {
  for (let at = 0; at < rows.length; at += PIECE_ROWS) {
    yield (at === 0 ? '[' : ',') + writeRows(rows.slice(at, at + PIECE_ROWS), now)
  }
  yield ']'
}
