import type { Event, EventType } from '@muster/contract/events'
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
type Told = { type: EventType; ids: Ids }
/** What is told when it is not said which. */
const ALL: Ids = []

/** What a console may be told of these events. Where it is not certain that the user may know, it is not told. */
export function eventsFor(pending: PendingEvents, viewer: Viewer): Told[] {
  return Array.from(pending, ([type, ids]) => ({ type, ids: idsFor(type, ids, viewer) })).filter(
    (told): told is Told => told.ids !== undefined,
  )
}

/** Tells a console that everything it shows may be out of date: what its user may see has changed. */
export function everythingChanged(userId: number): Told[] {
  const types: EventType[] = [
    'agent.changed',
    'client.changed',
    'check.changed',
    'task.changed',
    'alert.changed',
    'alert_channel.changed',
    'alert_template.changed',
    'maintenance.changed',
    'policy.changed',
    'script.changed',
    'keystore.changed',
    'customfield.changed',
    'history.changed',
    'note.changed',
    'pendingaction.changed',
    'software.looked',
    'software.changed',
    'remote_access.changed',
    'audit.added',
    'settings.changed',
  ]
  return [{ type: 'user.changed', ids: [userId] }, ...types.map((type) => ({ type, ids: ALL }))]
}

function idsFor(type: EventType, pending: PendingIds, viewer: Viewer): Ids | undefined {
  const { caller, sight } = viewer
  const permission = PERMISSION[type]
  const may = permission === undefined || [permission].flat().some((one) => mayDo(caller, one))
  // Users hear of themselves whatever they may do.
  if (!may && type !== 'user.changed') return undefined
  switch (type) {
    case 'agent.added':
    case 'agent.removed':
      // The frames of the machines table tell of these.
      return undefined
    case 'check.redefined':
    case 'task.redefined':
      // Between servers and machines.
      return undefined
    case 'agent.changed':
    case 'check.changed':
    case 'task.changed':
    case 'history.changed':
    case 'note.changed':
    case 'pendingaction.changed':
    case 'software.looked':
    case 'software.changed':
    case 'remote_session.changed':
      return pending.pick((agentId) => seesAgent(viewer, agentId))
    case 'alert.changed':
      // Of alerts without a machine it is not said which, since they may be of a site that is not seen.
      if (!sight.all && pending.has(NO_AGENT)) return ALL
      return pending.pick((agentId) => seesAgent(viewer, agentId))
    case 'audit.added':
      // Rows without a machine may belong to a client that is not seen: that there is one more says nothing of it.
      if (!sight.all && pending.has(NO_AGENT)) return ALL
      return pending.pick((agentId) => seesAgent(viewer, agentId))
    case 'client.changed':
      return only(pending, (id) => sight.seesClient(Number(id)))
    case 'user.changed':
      return only(pending, (id) => may || id === caller.userId)
    case 'session.ended':
      // A digest is nobody else's business.
      return ALL
    case 'maintenance.changed':
    case 'policy.changed':
    case 'remote_access.changed':
      return ALL
    case 'alert_channel.changed':
    case 'alert_template.changed':
    case 'script.changed':
    case 'keystore.changed':
    case 'customfield.changed':
    case 'settings.changed':
      return pending.pick(() => true)
  }
}

/** One of them is enough. */
const PERMISSION: Partial<Record<EventType, Permission | Permission[]>> = {
  'agent.changed': 'can_list_agents',
  'client.changed': 'can_list_clients',
  'check.changed': 'can_list_checks',
  'task.changed': 'can_list_autotasks',
  'alert.changed': 'can_list_alerts',
  'alert_channel.changed': 'can_view_core_settings',
  'alert_template.changed': 'can_list_alerttemplates',
  'maintenance.changed': 'can_list_agents',
  'policy.changed': 'can_list_automation_policies',
  'script.changed': 'can_list_scripts',
  'keystore.changed': 'can_view_global_keystore',
  'history.changed': 'can_list_agent_history',
  'note.changed': 'can_list_notes',
  'pendingaction.changed': 'can_list_pendingactions',
  'software.looked': 'can_list_software',
  'software.changed': 'can_list_software',
  'patches.looked': 'can_manage_winupdates',
  'remote_session.changed': ['can_view_recordings', 'can_use_mesh'],
  'remote_access.changed': 'can_list_agents',
  'audit.added': 'can_view_auditlogs',
  'user.changed': 'can_list_accounts',
  'session.ended': 'can_list_accounts',
}

function only(pending: PendingIds, mayKnow: (id: string | number) => boolean): Ids | undefined {
  const ids = pending.pick(() => true)
  if (ids === undefined || ids.length === 0) return ids
  const known = ids.filter(mayKnow)
  return known.length === 0 ? undefined : known
}

function seesAgent({ sight, placeOf }: Viewer, agentId: string): boolean {
  if (sight.all) return true
  const place = agentId === NO_AGENT ? undefined : placeOf(agentId)
  return place !== undefined && sight.sees(place)
}
