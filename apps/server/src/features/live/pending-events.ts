import { ALL_IDS, type Event, type EventType } from '@muster/contract/events'

type Ids = Event['ids']

/** More than so many of a kind at once, and a console does better to ask for all. */
const MOST_IDS = 500
/** Group of the ids that belong to no machine. */
export const NO_AGENT = ''

/** Ids of one type of event, by the machine that they belong to. */
export class PendingIds {
  #groups = new Map<string, Set<string | number>>()
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

  /** The ids of the groups that are let through, none twice; `ALL_IDS` alone where they are too many or not known. */
  pick(mayKnow: (agentId: string) => boolean): Ids {
    const chosen = new Set<string | number>()
    for (const [agentId, ids] of this.#groups) {
      if (!mayKnow(agentId)) continue
      for (const id of ids) chosen.add(id)
      if (chosen.has(ALL_IDS) || chosen.size > MOST_IDS) return [ALL_IDS]
    }
    return [...chosen]
  }

  #addTo(agentId: string, ids: Ids): void {
    const group = this.#group(agentId)
    // Bounded by the fleet, whatever happens within the window: beyond the limit only the machines are kept.
    if (ids.length === 0 || this.#count > 10 * MOST_IDS) group.add(ALL_IDS)
    else for (const id of ids) group.add(id)
    this.#count += ids.length
  }

  #group(agentId: string): Set<string | number> {
    const group = this.#groups.get(agentId) ?? new Set()
    this.#groups.set(agentId, group)
    return group
  }
}

/** Events since the last message to the consoles, by type. */
export type PendingEvents = Map<EventType, PendingIds>

export function addEvent(pending: PendingEvents, event: Event): void {
  const ids = pending.get(event.type) ?? new PendingIds()
  ids.add(event)
  pending.set(event.type, ids)
}
