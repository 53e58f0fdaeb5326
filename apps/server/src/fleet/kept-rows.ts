import { AgentRow } from '@muster/contract/api/agents'
import { nextStatusChangeAt } from '@muster/rules/agents/agent-status'
import { toSortKey } from '@muster/rules/search/sort-key'
import type { Scope } from '../platform/http/caller.ts'
import { count, emptySum, type SiteSum } from './site-sum.ts'

export interface KeptRow {
  /** Of the row in the database. */
  id: number
  row: AgentRow
  /** JSON of the row around its last_seen: that of a connected machine is the moment of the answer. */
  head: string
  tail: string
  /** Sorts the row by its host name. */
  nameKey: string
  /** When the status changes by time alone. */
  changesAt: number
}

export interface RowFilter {
  client?: number | undefined
  site?: number | undefined
  monitoring_type?: AgentRow['monitoring_type'] | undefined
}

// With the key in front: no text that a machine sends can hold an unescaped quote.
const LAST_SEEN_KEY = '"last_seen":'
const LAST_SEEN_MARK = `${LAST_SEEN_KEY}"@"`

type Site = { clientId: number; rows: Map<string, KeptRow>; sum: SiteSum }

/** Rows of machines by agent_id and by site: most questions are about one client of many. */
export class KeptRows {
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

  /** What this caller may see of it, site by site. */
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

  /** By site id; sites without a machine are missing. */
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
