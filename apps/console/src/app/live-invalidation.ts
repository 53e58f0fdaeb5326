import { getAgent, listAgents } from '@muster/contract/api/agents'
import { getAlert, listAlerts } from '@muster/contract/api/alerts'
import { listAudit } from '@muster/contract/api/audit'
import { getCheck, getCheckSamples, listAgentChecks, listChecks } from '@muster/contract/api/checks'
import { getClient, getSite, listClients, listSites } from '@muster/contract/api/clients'
import { getDashInfo } from '@muster/contract/api/core'
import { getHistory, getHistoryOutput, listAgentHistory } from '@muster/contract/api/history'
import { listMaintenanceWindows } from '@muster/contract/api/maintenance'
import { listNotes } from '@muster/contract/api/notes'
import { getScript, listScripts } from '@muster/contract/api/scripts'
import { listOwnSessions, listUserSessions } from '@muster/contract/api/sessions'
import { getMe } from '@muster/contract/api/users'
import type { Endpoint } from '@muster/contract/endpoint'
import type { EventType } from '@muster/contract/events'

interface Stale {
  endpoint: Endpoint
  /** The parameter that the event's ids name: only those answers are stale. Without it, all of the endpoint are. */
  by?: 'agent_id' | 'id'
}

/** Which answers an event makes stale. Rows of the machines table come by the `agents` message instead. */
export const STALE_BY_EVENT: Record<EventType, readonly Stale[]> = {
  'agent.changed': [{ endpoint: getAgent, by: 'agent_id' }],
  'agent.added': [{ endpoint: listAgents }, { endpoint: listClients }, { endpoint: listSites }],
  'agent.removed': [
    { endpoint: listAgents },
    { endpoint: listClients },
    { endpoint: listSites },
    { endpoint: getAgent, by: 'agent_id' },
  ],
  'client.changed': [
    { endpoint: listClients },
    { endpoint: listSites },
    { endpoint: getClient },
    { endpoint: getSite },
    { endpoint: listAgents },
    { endpoint: getAgent },
  ],
  'check.changed': [
    { endpoint: listAgentChecks },
    { endpoint: listChecks },
    { endpoint: getCheck, by: 'id' },
    { endpoint: getCheckSamples, by: 'id' },
  ],
  'check.redefined': [],
  'alert.changed': [{ endpoint: listAlerts }, { endpoint: getAlert, by: 'id' }],
  'maintenance.changed': [{ endpoint: listMaintenanceWindows }],
  'script.changed': [{ endpoint: listScripts }, { endpoint: getScript, by: 'id' }],
  'history.changed': [
    { endpoint: listAgentHistory },
    { endpoint: getHistory, by: 'id' },
    { endpoint: getHistoryOutput, by: 'id' },
  ],
  'note.changed': [{ endpoint: listNotes }],
  'audit.added': [{ endpoint: listAudit }],
  'user.changed': [{ endpoint: getMe }, { endpoint: getDashInfo }],
  'session.ended': [{ endpoint: listOwnSessions }, { endpoint: listUserSessions }],
  'settings.changed': [{ endpoint: getDashInfo }],
}

/** Changed fields of a machine that the tree shows in some form. */
export const TREE_FIELDS = [
  'maintenance_mode',
  'checks',
  'status',
  'connected',
  'site_id',
  'client_id',
  'overdue_email_alert',
  'overdue_text_alert',
  'overdue_dashboard_alert',
] as const

export interface LiveEvent {
  type: EventType
  ids: readonly (number | string)[]
}

/** Decides for a cache key (as `query()` makes them) whether one of the events makes it stale. */
export function isStale(key: readonly unknown[], events: readonly LiveEvent[]): boolean {
  return events.some(({ type, ids }) =>
    STALE_BY_EVENT[type].some(({ endpoint, by }) => {
      if (key[0] !== `${endpoint.method} ${endpoint.path}`) return false
      if (by === undefined || ids.length === 0) return true
      const parameter = readParameter(key[1], by)
      return parameter === undefined || ids.some((id) => `${id}` === parameter)
    }),
  )
}

function readParameter(input: unknown, name: string): string | undefined {
  if (typeof input !== 'object' || input === null || !('params' in input)) return undefined
  const { params } = input
  if (typeof params !== 'object' || params === null) return undefined
  const value: unknown = Object.entries(params).find(([key]) => key === name)?.[1]
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : undefined
}
