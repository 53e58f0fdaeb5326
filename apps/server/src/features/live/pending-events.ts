import type { Event, EventType } from '@muster/contract/events'

type Ids = Event['ids']

/** More than so many of a kind at once, and a console does better to ask for all. */
const MOST_IDS = 500
/** Kept at most until it is known who may hear of which. */
const MOST_KEPT = 10_000
/** Group of the ids that belong to no machine. */
export const NO_AGENT = ''

interface Group {
  ids: Set<string | number>
  /** Of this group more has changed than the ids say. */
  all: boolean
}

/** Ids of one type of event, by the machine that they belong to. */
export class PendingIds {
  #groups = new Map<string, Group>()
  #count = 0

  add({ ids, agent_ids: agentIds = [] }: Event): void {
    if (agentIds.length === 0) {
      this.#addTo(NO_AGENT, ids)
    } else if (agentIds.length === ids.length) {
      // Written in pairs: the id of a run, and the machine that it runs on.
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

  /** The ids of the groups that are let through, empty for "all"; undefined where no group is let through. */
  pick(mayKnow: (agentId: string) => boolean): Ids | undefined {
    const chosen = new Set<string | number>()
    let any = false
    for (const [agentId, group] of this.#groups) {
      if (!mayKnow(agentId)) continue
      any = true
      for (const id of group.ids) chosen.add(id)
      if (group.all || chosen.size > MOST_IDS) return []
    }
    return any ? [...chosen] : undefined
  }

  #addTo(agentId: string, ids: Ids): void {
    const group = this.#groups.get(agentId) ?? { ids: new Set(), all: false }
    this.#groups.set(agentId, group)
    this.#count += ids.length
    // Whatever happens within the window, only the machines are kept beyond the limit, and they are limited.
    if (ids.length === 0 || this.#count > MOST_KEPT) group.all = true
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
