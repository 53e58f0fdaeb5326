import { type AgentName, AgentRow } from '@muster/contract/api/agents'
import type { Event } from '@muster/contract/events'
import { worstRank } from '@muster/rules/agents/worst-first'
import { toSortKey } from '@muster/rules/search/tree-order'
import type { z } from 'zod'
import { nextStatusChangeAt } from '@muster/rules/agents/agent-status'
import { hasAvailabilityAlert } from '@muster/rules/alerts/alert-template'
import type { Context } from '../context.ts'
import type { Scope } from '../platform/http/caller.ts'
import { DEFAULT_PAGE_SIZE } from '../platform/http/page.ts'
import { JsonPieces, JsonText } from '../platform/http/route.ts'
import type { FoundName, FoundRow, RowFilter, RowSource } from './handlers.ts'

/** Number of machines of a site per status. Machines in maintenance count only in the total. */
export interface SiteSum {
  machines: number
  maintenance: number
  /** A check fails with severity error, or the machine is overdue and its overdue alert is on. */
  errors: number
  warnings: number
}

export const emptySum = (): SiteSum => ({ machines: 0, maintenance: 0, errors: 0, warnings: 0 })

/** Adds a row to the sum, or with -1 subtracts the same row again. */
export function count(sum: SiteSum, row: AgentRow, by: 1 | -1): void {
  sum.machines += by
  if (row.maintenance_mode) {
    sum.maintenance += by
    return
  }
  if (row.checks.failing > 0 || isAlarminglySilent(row)) sum.errors += by
  if (row.checks.warning > 0) sum.warnings += by
}

function isAlarminglySilent(row: AgentRow): boolean {
  return row.status === 'overdue' && hasAvailabilityAlert(row)
}

interface KeptRow {
  /** Primary key of the agent's row. */
  id: number
  row: AgentRow
  /** JSON of the row around its last_seen, which for a connected machine is the time of the response. */
  head: string
  tail: string
  /** Sort key of the host name. */
  nameKey: string
  /** See worstRank. */
  rank: number
  /** When the status changes by time alone. */
  changesAt: number
}

// Includes the key: a text from an agent cannot contain an unescaped quote.
const LAST_SEEN_KEY = '"last_seen":'
const LAST_SEEN_MARK = `${LAST_SEEN_KEY}"@"`

type Site = { clientId: number; rows: Map<string, KeptRow>; sum: SiteSum }

/** Agent rows by agent_id and by site, because most requests are for one client of many. */
export class AgentIndex {
  #all = new Map<string, KeptRow>()
  #sites = new Map<number, Site>()

  keep(id: number, view: AgentRow, nowMs: number): void {
    const row = AgentRow.parse(view)
    const json = JSON.stringify({ ...row, last_seen: '@' })
    const at = json.indexOf(LAST_SEEN_MARK)
    const kept = {
      id,
      row,
      head: json.slice(0, at + LAST_SEEN_KEY.length),
      tail: json.slice(at + LAST_SEEN_MARK.length),
      nameKey: toSortKey(row.hostname),
      rank: worstRank(row),
      changesAt: nextStatusChangeAt(row, nowMs) ?? Number.POSITIVE_INFINITY,
    }
    const site = this.#site(row)
    const before = this.#all.get(row.agent_id)?.row
    if (before !== undefined && before.site_id !== row.site_id) this.delete(row.agent_id)
    else if (before !== undefined) count(site.sum, before, -1)
    count(site.sum, row, 1)
    this.#all.set(row.agent_id, kept)
    site.rows.set(row.agent_id, kept)
  }

  delete(agentId: string): void {
    const kept = this.#all.get(agentId)
    if (kept === undefined) return
    this.#all.delete(agentId)
    const site = this.#sites.get(kept.row.site_id)
    if (site === undefined) return
    site.rows.delete(agentId)
    count(site.sum, kept.row, -1)
    if (site.rows.size === 0) this.#sites.delete(kept.row.site_id)
  }

  get(agentId: string): KeptRow | undefined {
    return this.#all.get(agentId)
  }

  ids(): string[] {
    return [...this.#all.keys()]
  }

  values(): Iterable<KeptRow> {
    return this.#all.values()
  }

  /** Rows that the caller may see, site by site. */
  find({ scope }: { scope: Scope }, { client, site, monitoring_type: type }: RowFilter): KeptRow[] {
    const clients = scope.all ? undefined : new Set(scope.clientIds)
    const sites = scope.all ? undefined : new Set(scope.siteIds)
    const found: KeptRow[] = []
    for (const [siteId, { clientId, rows }] of this.#sites) {
      if (client !== undefined && clientId !== client) continue
      if (site !== undefined && siteId !== site) continue
      if (clients !== undefined && !clients.has(clientId) && sites?.has(siteId) !== true) continue
      for (const kept of rows.values()) {
        if (type === undefined || kept.row.monitoring_type === type) found.push(kept)
      }
    }
    return found
  }

  /** By site id. Sites without machines are missing. */
  sums(): Map<number, SiteSum> {
    return new Map(Array.from(this.#sites, ([id, { sum }]) => [id, { ...sum }]))
  }

  #site({ site_id, client_id }: AgentRow): Site {
    let site = this.#sites.get(site_id)
    if (site === undefined) {
      site = { clientId: client_id, rows: new Map(), sum: emptySum() }
      this.#sites.set(site_id, site)
    }
    // A site may move to another client.
    site.clientId = client_id
    return site
  }
}

interface PageOfRows {
  page: number
  page_size?: number | undefined
  sort: 'hostname' | 'worst'
}

const SLICE = 250
/** Rows per piece of a long response, about 700 kB. */
const PIECE_ROWS = 600
/** With more stale rows than this, a page is read on its own, and the rows are loaded in the background. */
const MAX_STALE = 500
/** A page that ends beyond this is taken from the loaded rows: finding it by name would take as long. */
const MAX_PAGE_END = 500
const NAMES_SLICE = 5000
/**
 * Serialized rows of the machines table in memory, so that a list of ten thousand is a join of strings. Events mark
 * rows as stale, and stale rows are read again before the next response. The database stays the source of truth.
 */
export class AgentCache implements Disposable {
  #ctx: Context
  #source: RowSource
  #rows = new AgentIndex()
  #stale = new Set<string>()
  #allStale = true
  #loading: Promise<void> | undefined
  #handlers: ((agentIds: string[]) => void)[] = []
  #once = new Map<string, (() => void)[]>()
  #timer: NodeJS.Timeout
  /** Stale rows that the running load has not read yet. */
  #unread = 0
  #keepsFresh = false
  /** Counts changes, for ETags. */
  version = 0

  constructor(ctx: Context, source: RowSource) {
    this.#ctx = ctx
    this.#source = source
    ctx.onEvent((event) => this.#onEvent(event))
    ctx.bus.onReconnect(() => {
      this.#allStale = true
      this.#changed(this.#rows.ids())
    })
    this.#timer = setInterval(() => {
      this.#findAged()
      this.#catchUp()
    }, 1000)
    this.#timer.unref()
  }

  /** Calls the handler with the agent_ids whose rows changed, appeared or were deleted. */
  onChanged(handler: (agentIds: string[]) => void): void {
    this.#handlers.push(handler)
  }

  /** Calls the handler once, at the next change of this machine's row. */
  onceChanged(agentId: string, handler: () => void): void {
    this.#once.set(agentId, [...(this.#once.get(agentId) ?? []), handler])
  }

  /** The rows of these machines. Unknown ids are skipped. */
  async rowsOf(agentIds: Iterable<string>): Promise<AgentRow[]> {
    await this.#fresh()
    return Array.from(agentIds, (id) => this.#rows.get(id)?.row).filter((row) => row !== undefined)
  }

  async list(caller: { scope: Scope }, filter: RowFilter): Promise<AgentRow[]> {
    return (await this.#find(caller, filter)).map(({ row }) => row)
  }

  async listNames(caller: { scope: Scope }, filter: RowFilter): Promise<z.infer<typeof AgentName>[]> {
    const found = await this.#find(caller, filter)
    return found.map(({ id, row: { agent_id, hostname, client, site } }) => ({
      id,
      agent_id,
      hostname,
      client,
      site,
    }))
  }

  /** Like `list`, as JSON text. Long lists come in pieces: ten thousand rows are 12 MB. */
  async listJson(caller: { scope: Scope }, filter: RowFilter): Promise<JsonText | JsonPieces> {
    const now = JSON.stringify(this.#ctx.now().toISOString())
    const found = await this.#find(caller, filter)
    if (found.length <= PIECE_ROWS) return new JsonText(`[${writeRows(found, now)}]`)
    return new JsonPieces(writePieces(found, now))
  }

  /**
   * One page of the list, sorted by host name or worst first. After a start or a change of the whole fleet it reads the
   * page from the database instead of waiting for thousands of stale rows; failing checks are unknown then.
   */
  async sortedPage(
    caller: { scope: Scope },
    filter: RowFilter,
    { page, page_size: size = DEFAULT_PAGE_SIZE, sort }: PageOfRows,
  ): Promise<JsonText> {
    const end = page * size
    const compare = sort === 'worst' ? compareWorst : compareNames
    const found =
      end <= MAX_PAGE_END && this.#staleCount() > MAX_STALE
        ? await this.#readFirst(caller, filter, { end, compare })
        : await this.#find(caller, filter).then((rows) => ({
            total: rows.length,
            rows: firstOf(rows, end, compare),
          }))
    const now = JSON.stringify(this.#ctx.now().toISOString())
    const results = writeRows(found.rows.slice(end - size), now)
    return new JsonText(`{"total":${found.total},"page":${page},"page_size":${size},"results":[${results}]}`)
  }

  /** From here on, many stale rows are read in the background, so that no list waits for them. */
  keepFresh(): void {
    this.#keepsFresh = true
    this.#catchUp()
  }

  /** The sums of all sites, not limited to a caller. Sites without machines are missing. */
  async sums(): Promise<Map<number, SiteSum>> {
    await this.#fresh()
    return this.#rows.sums()
  }

  [Symbol.dispose](): void {
    this.#keepsFresh = false
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
      // The setting may change the effective value of any machine.
      const ids = this.#rows.ids()
      for (const id of ids) this.#stale.add(id)
      this.#changed(ids)
    } else if (event.type === 'client.changed') {
      // Every row contains the names of its client and site.
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

  #staleCount(): number {
    return this.#allStale ? Number.POSITIVE_INFINITY : this.#stale.size + this.#unread
  }

  #catchUp(): void {
    if (!this.#keepsFresh || this.#loading !== undefined || this.#staleCount() <= MAX_STALE) return
    this.#fresh().catch((cause: unknown) => {
      if (this.#keepsFresh) this.#ctx.log.warn({ err: cause }, 'agent rows could not be read')
    })
  }

  async #readFirst(
    caller: { scope: Scope },
    filter: RowFilter,
    { end, compare }: { end: number; compare: typeof compareNames },
  ): Promise<{ total: number; rows: KeptRow[] }> {
    let names: { row: FoundName; nameKey: string; rank: number }[] = []
    let total = 0
    let afterId = 0
    for (;;) {
      const slice = await this.#source.findNames(this.#ctx.db, caller, filter, {
        afterId,
        limit: NAMES_SLICE,
      })
      total += slice.length
      const named = slice.map((row) => ({ row, nameKey: toSortKey(row.hostname), rank: row.rank }))
      names = firstOf([...names, ...named], end, compare)
      const last = slice.at(-1)
      if (last === undefined || slice.length < NAMES_SLICE) break
      afterId = last.id
      await new Promise(setImmediate)
    }
    const ids = names.map(({ row }) => row.agent_id)
    for (const found of await this.#source.find(this.#ctx, ids)) this.#keep(found)
    return { total, rows: ids.map((id) => this.#rows.get(id)).filter((row) => row !== undefined) }
  }

  #findAged(): void {
    const nowMs = this.#ctx.now().getTime()
    const aged: string[] = []
    for (const { row, changesAt } of this.#rows.values()) if (changesAt <= nowMs) aged.push(row.agent_id)
    for (const id of aged) this.#stale.add(id)
    this.#changed(aged)
  }

  /**
   * Reads the rows that were stale at the call. A load that is already running may have started too early, so at most
   * one more follows. Later changes are left to the next caller, or a busy fleet would block callers forever.
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
    this.#unread = ids.length
    for (let from = 0; from < ids.length; from += SLICE) {
      const slice = ids.slice(from, from + SLICE)
      try {
        const rows = await this.#source.find(this.#ctx, slice)
        const gone = new Set(slice)
        for (const found of rows) {
          gone.delete(found.row.agent_id)
          this.#keep(found)
        }
        for (const id of gone) this.#rows.delete(id)
      } catch (error) {
        for (const id of ids.slice(from)) this.#stale.add(id)
        this.#unread = 0
        throw error
      }
      this.#unread -= slice.length
      // SQLite is synchronous: other requests run between two slices.
      await new Promise(setImmediate)
    }
  }

  #keep({ id, row }: FoundRow): void {
    this.#rows.keep(id, row, this.#ctx.now().getTime())
  }

  async #loadAll(): Promise<void> {
    this.#allStale = false
    this.#stale.clear()
    this.#unread = Number.POSITIVE_INFINITY
    try {
      const gone = new Set(this.#rows.ids())
      let afterId = 0
      for (;;) {
        const rows = await this.#source.findAfter(this.#ctx, { afterId, limit: SLICE })
        for (const found of rows) {
          gone.delete(found.row.agent_id)
          this.#keep(found)
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
    } finally {
      this.#unread = 0
    }
  }
}

type Named = { nameKey: string; rank: number; row: { agent_id: string } }

function compareNames(a: Named, b: Named): number {
  if (a.nameKey !== b.nameKey) return a.nameKey < b.nameKey ? -1 : 1
  return a.row.agent_id < b.row.agent_id ? -1 : 1
}

function compareWorst(a: Named, b: Named): number {
  return a.rank - b.rank || compareNames(a, b)
}

/** The first rows in this order. Selecting few of many is much faster than sorting all. */
function firstOf<Row extends Named>(rows: Row[], count: number, compare: typeof compareNames): Row[] {
  if (count > MAX_PAGE_END || rows.length <= count) return rows.toSorted(compare).slice(0, count)
  const first = rows.slice(0, count).toSorted(compare)
  for (const row of rows.slice(count)) {
    const last = first.at(-1)
    if (last === undefined || compare(row, last) > 0) continue
    first.splice(
      first.findIndex((other) => compare(row, other) < 0),
      0,
      row,
    )
    first.pop()
  }
  return first
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
