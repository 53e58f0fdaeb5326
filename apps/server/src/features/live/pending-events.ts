import type { Event, EventType } from '@muster/contract/events'

type Ids = Event['ids']

/** Above this number of ids per type, the console reloads everything of that type. */
const MAX_IDS = 500
/** Maximum kept until their visibility is known. */
const MAX_KEPT = 10_000
/** Group of ids without a machine. */
export const NO_AGENT = ''

interface Group {
  ids: Set<string | number>
  /** More changed in this group than its ids show. */
  all: boolean
}

/** Ids of one type of event, by machine. */
export class PendingIds {
  #groups = new Map<string, Group>()
  #count = 0

  add({ ids, agent_ids: agentIds = [] }: Event): void {
    if (agentIds.length === 0) {
      this.#addTo(NO_AGENT, ids)
    } else if (agentIds.length === ids.length) {
      // Written in pairs: the id of a run, and its machine.
      for (const [index, agentId] of agentIds.entries()) this.#addTo(agentId, ids.slice(index, index + 1))
    } else {
      for (const agentId of agentIds) this.#addTo(agentId, agentIds.length === 1 ? ids : [])
    }
  }

  has(agentId: string): boolean {
    return this.#groups.has(agentId)
  }

  agentIds(): string[] {
    return [...this.#groups.keys()].filter((agentId) => agentId !== NO_AGENT)
  }

  /** Returns the ids of the visible groups, empty for "all", or undefined if no group is visible. */
  pick(mayKnow: (agentId: string) => boolean): Ids | undefined {
    const chosen = new Set<string | number>()
    let any = false
    for (const [agentId, group] of this.#groups) {
      if (!mayKnow(agentId)) continue
      any = true
      for (const id of group.ids) chosen.add(id)
      if (group.all || chosen.size > MAX_IDS) return []
    }
    return any ? [...chosen] : undefined
  }

  #addTo(agentId: string, ids: Ids): void {
    const group = this.#groups.get(agentId) ?? { ids: new Set(), all: false }
    this.#groups.set(agentId, group)
    this.#count += ids.length
    // Beyond the limit only the machines are kept, and their number is limited.
    if (ids.length === 0 || this.#count > MAX_KEPT) group.all = true
    else for (const id of ids) group.ids.add(id)
  }
}

/** Events since the last message to the consoles, by type. */
export type PendingEvents = Map<EventType, PendingIds>

export function addEvent(pending: PendingEvents, event: Event): void {
  const ids = pending.get(event.type) ?? new PendingIds()
  ids.add(event)
  pending.set(event.type, ids)
}
