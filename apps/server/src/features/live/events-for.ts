import { ALL_IDS, type Event, type EventType } from '@muster/contract/events'
import type { Permission } from '@muster/contract/permissions'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import { NO_AGENT, type PendingEvents, type PendingIds } from './pending-events.ts'
import type { Place, Sight } from './sight.ts'

export interface Viewer {
  caller: Caller
  sight: Sight
  /** Undefined for a machine that does not exist. */
  placeOf: (agentId: string) => Place | undefined
}

type Ids = Event['ids']

/** What a console may be told of these events. Where it is not certain that the user may know, it is not told. */
export function eventsFor(pending: PendingEvents, viewer: Viewer): { type: EventType; ids: Ids }[] {
  return Array.from(pending, ([type, ids]) => ({ type, ids: idsFor(type, ids, viewer) })).filter(
    ({ ids }) => ids.length > 0,
  )
}

/** Tells a console that everything it shows may be out of date: what its user may see has changed. */
export function everythingChanged(userId: number): { type: EventType; ids: Ids }[] {
  const types: EventType[] = [
    'agent.changed',
    'client.changed',
    'script.changed',
    'history.changed',
    'note.changed',
    'audit.added',
    'settings.changed',
  ]
  return [{ type: 'user.changed', ids: [userId] }, ...types.map((type) => ({ type, ids: [ALL_IDS] }))]
}

function idsFor(type: EventType, pending: PendingIds, viewer: Viewer): Ids {
  const { caller, sight } = viewer
  const permission = PERMISSION[type]
  const may = permission === undefined || mayDo(caller, permission)
  switch (type) {
    case 'agent.changed':
    case 'agent.added':
    case 'agent.removed':
      // The frames of the machines table tell of these.
      return []
    case 'client.changed':
      return may ? pending.pick(() => true).filter((id) => id === ALL_IDS || sight.seesClient(Number(id))) : []
    case 'history.changed':
    case 'note.changed':
      return may ? pending.pick((agentId) => seesAgent(viewer, agentId)) : []
    case 'audit.added':
      // Rows without a machine may belong to a client that is not seen: that there is one more says nothing of it.
      if (may && !sight.all && pending.has(NO_AGENT)) return [ALL_IDS]
      return may ? pending.pick((agentId) => seesAgent(viewer, agentId)) : []
    case 'user.changed':
      return pending.pick(() => true).filter((id) => may || id === ALL_IDS || id === caller.userId)
    case 'session.ended':
      // A digest is nobody else's business.
      return may ? [ALL_IDS] : []
    case 'script.changed':
    case 'settings.changed':
      return may ? pending.pick(() => true) : []
  }
}

const PERMISSION: Partial<Record<EventType, Permission>> = {
  'client.changed': 'can_list_clients',
  'script.changed': 'can_list_scripts',
  'history.changed': 'can_list_agent_history',
  'note.changed': 'can_list_notes',
  'audit.added': 'can_view_auditlogs',
  'user.changed': 'can_list_accounts',
  'session.ended': 'can_list_accounts',
}

function seesAgent({ sight, placeOf }: Viewer, agentId: string): boolean {
  if (sight.all) return true
  const place = agentId === NO_AGENT ? undefined : placeOf(agentId)
  return place !== undefined && sight.sees(place)
}
