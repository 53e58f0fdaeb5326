import type { EventType } from '@muster/contract/events'

interface Stale {
  /** Method and path. The endpoint itself would bring its schemas into what a browser loads first. */
  endpoint: string
  /** The parameter that the event's ids name: only those answers are stale. Without it, all of the endpoint are. */
  by?: 'agent_id' | 'id'
}

/** Which answers an event makes stale. Rows of the machines table come by the `agents` message instead. */
export const STALE_BY_EVENT: Record<EventType, readonly Stale[]> = {
  'agent.changed': [
    { endpoint: 'GET /agents/:agent_id/', by: 'agent_id' },
    { endpoint: 'GET /automation/agents/:agent_id/', by: 'agent_id' },
    { endpoint: 'GET /alerts/templates/preview/' },
  ],
  'agent.added': [
    { endpoint: 'GET /agents/' },
    { endpoint: 'GET /clients/' },
    { endpoint: 'GET /clients/sites/' },
  ],
  'agent.removed': [
    { endpoint: 'GET /agents/' },
    { endpoint: 'GET /clients/' },
    { endpoint: 'GET /clients/sites/' },
    { endpoint: 'GET /agents/:agent_id/', by: 'agent_id' },
  ],
  'client.changed': [
    { endpoint: 'GET /automation/policies/overview/' },
    { endpoint: 'GET /clients/' },
    { endpoint: 'GET /clients/sites/' },
    { endpoint: 'GET /clients/:id/' },
    { endpoint: 'GET /clients/sites/:id/' },
    { endpoint: 'GET /agents/' },
    { endpoint: 'GET /agents/:agent_id/' },
  ],
  'check.changed': [
    { endpoint: 'GET /agents/:agent_id/checks/' },
    { endpoint: 'GET /agents/:agent_id/checks/dropped/' },
    { endpoint: 'GET /checks/' },
    { endpoint: 'GET /checks/:id/', by: 'id' },
    { endpoint: 'GET /checks/:id/samples/', by: 'id' },
    { endpoint: 'GET /automation/policies/:id/checks/' },
    { endpoint: 'GET /automation/checks/:id/status/' },
  ],
  'check.redefined': [],
  'task.changed': [
    { endpoint: 'GET /agents/:agent_id/tasks/' },
    { endpoint: 'GET /tasks/' },
    { endpoint: 'GET /tasks/:id/', by: 'id' },
    { endpoint: 'GET /tasks/:id/runs/', by: 'id' },
    { endpoint: 'GET /tasks/:id/runs/:run/', by: 'id' },
    { endpoint: 'GET /automation/policies/:id/tasks/' },
    { endpoint: 'GET /automation/tasks/:id/status/' },
  ],
  'task.redefined': [],
  'alert.changed': [{ endpoint: 'PATCH /alerts/' }, { endpoint: 'GET /alerts/:id/', by: 'id' }],
  'alert_channel.changed': [{ endpoint: 'GET /alerts/channels/' }],
  'alert_template.changed': [
    { endpoint: 'GET /alerts/templates/' },
    { endpoint: 'GET /alerts/templates/:id/', by: 'id' },
    { endpoint: 'GET /alerts/templates/:id/related/' },
    { endpoint: 'GET /alerts/templates/preview/' },
    { endpoint: 'GET /automation/agents/:agent_id/' },
    { endpoint: 'GET /agents/:agent_id/' },
  ],
  'maintenance.changed': [{ endpoint: 'GET /maintenance/' }],
  'policy.changed': [
    { endpoint: 'GET /automation/policies/' },
    { endpoint: 'GET /automation/policies/:id/', by: 'id' },
    { endpoint: 'GET /automation/policies/:id/history/', by: 'id' },
    { endpoint: 'GET /automation/policies/:id/related/' },
    { endpoint: 'GET /automation/policies/:id/checks/' },
    { endpoint: 'GET /automation/policies/:id/tasks/' },
    { endpoint: 'GET /automation/policies/overview/' },
    { endpoint: 'GET /automation/places/:level/:id/' },
    { endpoint: 'GET /clients/' },
    { endpoint: 'GET /agents/:agent_id/' },
    { endpoint: 'GET /alerts/templates/' },
    { endpoint: 'GET /alerts/templates/:id/related/' },
    { endpoint: 'GET /automation/agents/:agent_id/' },
  ],
  'script.changed': [
    { endpoint: 'GET /scripts/' },
    { endpoint: 'GET /scripts/:id/', by: 'id' },
    { endpoint: 'GET /scripts/:id/versions/', by: 'id' },
    { endpoint: 'GET /scripts/:id/download/' },
    { endpoint: 'GET /scripts/snippets/' },
  ],
  'keystore.changed': [{ endpoint: 'GET /core/keystore/' }],
  'customfield.changed': [{ endpoint: 'GET /core/customfields/' }],
  'software.looked': [{ endpoint: 'GET /software/:agent_id/', by: 'agent_id' }],
  'software.changed': [
    { endpoint: 'GET /software/' },
    { endpoint: 'GET /software/titles/:title/' },
    { endpoint: 'GET /agents/:agent_id/timeline/', by: 'agent_id' },
  ],
  'patches.looked': [
    { endpoint: 'GET /winupdate/:agent_id/', by: 'agent_id' },
    { endpoint: 'GET /winupdate/:agent_id/status/', by: 'agent_id' },
  ],
  'history.changed': [
    { endpoint: 'GET /winupdate/:agent_id/status/' },
    { endpoint: 'GET /agents/:agent_id/history/' },
    { endpoint: 'GET /agents/history/:id/', by: 'id' },
    { endpoint: 'GET /agents/history/:id/output/', by: 'id' },
  ],
  'note.changed': [{ endpoint: 'GET /agents/:agent_id/notes/' }],
  'pendingaction.changed': [
    { endpoint: 'GET /logs/pendingactions/' },
    { endpoint: 'GET /agents/:agent_id/pendingactions/' },
  ],
  'remote_session.changed': [
    { endpoint: 'GET /agents/:agent_id/remotesessions/', by: 'agent_id' },
    { endpoint: 'GET /agents/:agent_id/terminals/', by: 'agent_id' },
    { endpoint: 'GET /agents/:agent_id/remotesessions/open/', by: 'agent_id' },
  ],
  'remote_access.changed': [{ endpoint: 'GET /remoteaccess/:level/:id/' }],
  'audit.added': [{ endpoint: 'PATCH /logs/audit/' }],
  'user.changed': [
    { endpoint: 'GET /accounts/users/me/' },
    { endpoint: 'GET /accounts/users/' },
    { endpoint: 'GET /core/dashinfo/' },
    { endpoint: 'GET /accounts/roles/' },
    { endpoint: 'GET /accounts/roles/:id/', by: 'id' },
  ],
  'session.ended': [
    { endpoint: 'GET /accounts/sessions/' },
    { endpoint: 'GET /accounts/users/:id/sessions/' },
  ],
  'settings.changed': [{ endpoint: 'GET /core/dashinfo/' }, { endpoint: 'GET /core/settings/' }],
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
      if (key[0] !== endpoint) return false
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
