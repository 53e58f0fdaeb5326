import { type Event, EVENT_TYPES, eventRule, type EventType } from '@muster/contract/events'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import { NO_AGENT, type PendingEvents, type PendingIds } from './pending-events.ts'
import type { Place, Visibility } from './visibility.ts'

export interface Viewer {
  caller: Caller
  visibleScope: Visibility
  /** Undefined for an unknown machine. */
  placeOf: (agentId: string) => Place | undefined
}

type Ids = Event['ids']
type VisibleEvent = { type: EventType; ids: Ids }
/** Sent instead of ids that the user may not know. */
const ALL: Ids = []

/** Returns the part of these events that the viewer may see. An event whose visibility is unknown is left out. */
export function eventsFor(pending: PendingEvents, viewer: Viewer): VisibleEvent[] {
  return Array.from(pending, ([type, ids]) => ({ type, ids: idsFor(type, ids, viewer) })).filter(
    (event): event is VisibleEvent => event.ids !== undefined,
  )
}

/** Returns events that mark everything a console shows as stale, for a user whose rights have changed. */
export function everythingChanged(userId: number): VisibleEvent[] {
  return EVENT_TYPES.filter((type) => !['none', 'frames'].includes(eventRule(type).scope)).map((type) => ({
    type,
    ids: eventRule(type).scope === 'users' ? [userId] : ALL,
  }))
}

function idsFor(type: EventType, pending: PendingIds, viewer: Viewer): Ids | undefined {
  const { caller, visibleScope } = viewer
  const { permissions, scope } = eventRule(type)
  const may = permissions === undefined || permissions.some((one) => mayDo(caller, one))
  // Users get events about themselves without any permission.
  if (!may && scope !== 'users') return undefined
  switch (scope) {
    case 'none':
    case 'frames':
      return undefined
    case 'agents':
      return pending.pick((agentId) => seesAgent(viewer, agentId))
    case 'agents_or_all':
      if (!visibleScope.all && pending.has(NO_AGENT)) return ALL
      return pending.pick((agentId) => seesAgent(viewer, agentId))
    case 'clients':
      return only(pending, (id) => visibleScope.seesClient(Number(id)))
    case 'users':
      return only(pending, (id) => may || id === caller.userId)
    case 'all':
      return ALL
    case 'ids':
      return pending.pick(() => true)
  }
}

function only(pending: PendingIds, mayKnow: (id: string | number) => boolean): Ids | undefined {
  const ids = pending.pick(() => true)
  if (ids === undefined || ids.length === 0) return ids
  const known = ids.filter(mayKnow)
  return known.length === 0 ? undefined : known
}

function seesAgent({ visibleScope, placeOf }: Viewer, agentId: string): boolean {
  if (visibleScope.all) return true
  const place = agentId === NO_AGENT ? undefined : placeOf(agentId)
  return place !== undefined && visibleScope.sees(place)
}
