import type { Permission } from './permissions.ts'

/**
 * Which consoles get an event, and with which ids:
 * `none`: no console. It is for other servers and for agents.
 * `frames`: no console. The `agents` message of the live socket carries it.
 * `agents`: users who see the agents that the ids belong to, with those ids.
 * `agents_or_all`: the same. Ids without an agent may belong to a site that the user does not see, so a user with a
 * limited scope gets the event without ids.
 * `clients`, `users`: the ids of clients that the user sees; of all users, or of the user alone without the permission.
 * `all`: every user with the permission, without ids. `ids`: the same, with ids.
 */
export type EventScope = 'none' | 'frames' | 'agents' | 'agents_or_all' | 'clients' | 'users' | 'all' | 'ids'

/** A cached response that is out of date after an event. */
export interface StaleResponse {
  /** Method and path. The endpoint itself would bring its schemas into what a browser loads first. */
  endpoint: string
  /** The parameter that the event's ids name: only those responses are stale. Without it, all responses of the endpoint are. */
  by?: 'agent_id' | 'id'
}

export interface EventRule {
  /** A user needs one of these. Without it, every user gets the event. */
  permissions?: readonly Permission[]
  scope: EventScope
  stale: readonly StaleResponse[]
}

/** Every fact that leaves a server process, in the past tense. Ids of `agent.*`, `software.*` and `patches.*` are agent_ids. */
export const EVENTS = {
  'agent.changed': {
    permissions: ['can_list_agents'],
    scope: 'agents',
    stale: [
      { endpoint: 'GET /agents/:agent_id/', by: 'agent_id' },
      { endpoint: 'GET /automation/agents/:agent_id/', by: 'agent_id' },
      { endpoint: 'GET /alerts/templates/preview/' },
    ],
  },
  'agent.added': {
    scope: 'frames',
    stale: [
      { endpoint: 'GET /core/first-steps/' },
      { endpoint: 'GET /agents/' },
      { endpoint: 'GET /clients/' },
      { endpoint: 'GET /clients/sites/' },
      { endpoint: 'GET /maintenance/open/' },
      { endpoint: 'GET /overview/' },
    ],
  },
  'agent.removed': {
    scope: 'frames',
    stale: [
      { endpoint: 'GET /core/first-steps/' },
      { endpoint: 'GET /agents/' },
      { endpoint: 'GET /clients/' },
      { endpoint: 'GET /clients/sites/' },
      { endpoint: 'GET /agents/:agent_id/', by: 'agent_id' },
      { endpoint: 'GET /maintenance/open/' },
      { endpoint: 'GET /overview/' },
    ],
  },
  /** Progress of an update, or how machines are updated; ids are agent_ids. */
  'agent_update.changed': {
    permissions: ['can_list_agents'],
    scope: 'agents',
    stale: [
      { endpoint: 'GET /agents/versions/' },
      { endpoint: 'GET /agents/updates/' },
      { endpoint: 'GET /agents/:agent_id/', by: 'agent_id' },
    ],
  },
  /** How machines of a client, a site or all are updated, or the state of the update of all. */
  'rollout.changed': {
    permissions: ['can_list_agents'],
    scope: 'all',
    stale: [
      { endpoint: 'GET /agents/versions/' },
      { endpoint: 'GET /agents/updates/' },
      { endpoint: 'GET /agents/updates/settings/:level/:id/' },
    ],
  },
  /** A tag, or which machines and clients have it. */
  'tag.changed': {
    permissions: ['can_list_agents'],
    scope: 'all',
    stale: [{ endpoint: 'GET /tags/' }],
  },
  /** A saved view of the machines table. */
  'view.changed': {
    permissions: ['can_list_agents'],
    scope: 'all',
    stale: [{ endpoint: 'GET /views/' }],
  },
  'urlaction.changed': {
    permissions: ['can_run_urlactions'],
    scope: 'all',
    stale: [{ endpoint: 'GET /core/urlaction/' }],
  },
  /** A webhook or its deliveries. */
  'webhook.changed': {
    permissions: ['can_edit_core_settings'],
    scope: 'ids',
    stale: [
      { endpoint: 'GET /core/webhooks/' },
      { endpoint: 'GET /core/webhooks/:id/deliveries/', by: 'id' },
    ],
  },
  'client.changed': {
    permissions: ['can_list_clients'],
    scope: 'clients',
    stale: [
      { endpoint: 'GET /automation/policies/overview/' },
      { endpoint: 'GET /clients/' },
      { endpoint: 'GET /clients/sites/' },
      { endpoint: 'GET /clients/:id/' },
      { endpoint: 'GET /clients/sites/:id/' },
      { endpoint: 'GET /agents/' },
      { endpoint: 'GET /agents/:agent_id/' },
      { endpoint: 'GET /maintenance/open/' },
      { endpoint: 'GET /overview/' },
    ],
  },
  /** Definition, result or history of checks; ids are those of checks. */
  'check.changed': {
    permissions: ['can_list_checks'],
    scope: 'agents',
    stale: [
      { endpoint: 'GET /agents/:agent_id/checks/' },
      { endpoint: 'GET /agents/:agent_id/approvals/' },
      { endpoint: 'GET /agents/:agent_id/checks/dropped/' },
      { endpoint: 'GET /checks/' },
      { endpoint: 'GET /checks/:id/', by: 'id' },
      { endpoint: 'GET /checks/:id/samples/', by: 'id' },
      { endpoint: 'GET /automation/policies/:id/checks/' },
      { endpoint: 'GET /automation/checks/:id/status/' },
    ],
  },
  /** New definitions for agents; ids are those of checks. */
  'check.redefined': {
    scope: 'none',
    stale: [],
  },
  /** Definition, result or runs of tasks; ids are those of tasks. */
  'task.changed': {
    permissions: ['can_list_autotasks'],
    scope: 'agents',
    stale: [
      { endpoint: 'GET /agents/:agent_id/tasks/' },
      { endpoint: 'GET /agents/:agent_id/approvals/' },
      { endpoint: 'GET /tasks/' },
      { endpoint: 'GET /tasks/:id/', by: 'id' },
      { endpoint: 'GET /tasks/:id/runs/', by: 'id' },
      { endpoint: 'GET /tasks/:id/runs/:run/', by: 'id' },
      { endpoint: 'GET /automation/policies/:id/tasks/' },
      { endpoint: 'GET /automation/tasks/:id/status/' },
    ],
  },
  /** New definitions for agents; ids are those of tasks. */
  'task.redefined': {
    scope: 'none',
    stale: [],
  },
  /** Raised, changed or resolved, or its log has a new entry. */
  'alert.changed': {
    permissions: ['can_list_alerts'],
    scope: 'agents_or_all',
    stale: [
      { endpoint: 'PATCH /alerts/' },
      { endpoint: 'PATCH /alerts/causes/' },
      { endpoint: 'PATCH /alerts/counts/' },
      { endpoint: 'GET /alerts/:id/', by: 'id' },
      { endpoint: 'GET /alerts/:id/notifications/', by: 'id' },
      { endpoint: 'GET /overview/' },
    ],
  },
  /** A channel, its state, or the number of notifications that wait for it. */
  'alert_channel.changed': {
    permissions: ['can_view_core_settings'],
    scope: 'ids',
    stale: [{ endpoint: 'GET /alerts/channels/' }, { endpoint: 'GET /core/first-steps/' }],
  },
  /** A template, or where one is assigned. */
  'alert_template.changed': {
    permissions: ['can_list_alerttemplates'],
    scope: 'ids',
    stale: [
      { endpoint: 'GET /alerts/templates/' },
      { endpoint: 'GET /alerts/templates/:id/', by: 'id' },
      { endpoint: 'GET /alerts/templates/:id/related/' },
      { endpoint: 'GET /alerts/templates/preview/' },
      { endpoint: 'GET /alerts/escalations/' },
      { endpoint: 'GET /automation/agents/:agent_id/' },
      { endpoint: 'GET /agents/:agent_id/' },
      { endpoint: 'GET /core/settings/' },
    ],
  },
  'escalation_chain.changed': {
    permissions: ['can_list_alerttemplates'],
    scope: 'ids',
    stale: [
      { endpoint: 'GET /alerts/escalations/' },
      { endpoint: 'GET /alerts/escalations/:id/', by: 'id' },
      { endpoint: 'GET /alerts/oncall/' },
      { endpoint: 'GET /alerts/:id/' },
    ],
  },
  'on_call_schedule.changed': {
    permissions: ['can_list_alerttemplates'],
    scope: 'ids',
    stale: [
      { endpoint: 'GET /alerts/oncall/' },
      { endpoint: 'GET /alerts/oncall/:id/', by: 'id' },
      { endpoint: 'GET /alerts/escalations/' },
      { endpoint: 'GET /alerts/escalations/targets/' },
      { endpoint: 'GET /alerts/:id/' },
    ],
  },
  /** A window, or maintenance mode that a person has switched. */
  'maintenance.changed': {
    permissions: ['can_list_agents'],
    scope: 'all',
    stale: [
      { endpoint: 'GET /maintenance/' },
      { endpoint: 'GET /maintenance/open/' },
      { endpoint: 'GET /core/dashinfo/' },
      { endpoint: 'GET /overview/' },
    ],
  },
  /** A policy, its assignments or exclusions; ids are those of policies. */
  'policy.changed': {
    permissions: ['can_list_automation_policies'],
    scope: 'all',
    stale: [
      { endpoint: 'GET /core/first-steps/' },
      { endpoint: 'GET /automation/policies/' },
      { endpoint: 'GET /automation/policies/:id/', by: 'id' },
      { endpoint: 'GET /automation/policies/:id/history/', by: 'id' },
      { endpoint: 'GET /automation/policies/:id/related/' },
      { endpoint: 'GET /automation/policies/:id/checks/' },
      { endpoint: 'GET /automation/policies/:id/tasks/' },
      { endpoint: 'GET /automation/policies/overview/' },
      { endpoint: 'GET /automation/places/:level/:id/' },
      { endpoint: 'GET /core/settings/' },
      { endpoint: 'GET /clients/' },
      { endpoint: 'GET /agents/:agent_id/' },
      { endpoint: 'GET /alerts/templates/' },
      { endpoint: 'GET /alerts/templates/:id/related/' },
      { endpoint: 'GET /automation/agents/:agent_id/' },
    ],
  },
  'script.changed': {
    permissions: ['can_list_scripts'],
    scope: 'ids',
    stale: [
      { endpoint: 'GET /scripts/' },
      { endpoint: 'GET /scripts/:id/', by: 'id' },
      { endpoint: 'GET /scripts/:id/versions/', by: 'id' },
      { endpoint: 'GET /scripts/:id/download/' },
      { endpoint: 'GET /scripts/:id/approval/', by: 'id' },
      { endpoint: 'GET /alerts/templates/' },
      { endpoint: 'GET /alerts/templates/:id/' },
      { endpoint: 'GET /alerts/templates/preview/' },
      { endpoint: 'GET /scripts/snippets/' },
    ],
  },
  'keystore.changed': {
    permissions: ['can_view_global_keystore'],
    scope: 'ids',
    stale: [{ endpoint: 'GET /core/keystore/' }],
  },
  /** A definition. Changed values are events of the record that they belong to. */
  'customfield.changed': {
    scope: 'ids',
    stale: [{ endpoint: 'GET /agents/search/fields/' }, { endpoint: 'GET /core/customfields/' }],
  },
  /** Agents have scanned their software, changed or not. */
  'software.scanned': {
    permissions: ['can_list_software'],
    scope: 'agents',
    stale: [{ endpoint: 'GET /software/:agent_id/', by: 'agent_id' }],
  },
  'packagefile.changed': {
    permissions: ['can_list_software'],
    scope: 'ids',
    stale: [{ endpoint: 'GET /software/files/' }],
  },
  /** A scan found other software than the one before. */
  'software.changed': {
    permissions: ['can_list_software'],
    scope: 'agents',
    stale: [
      { endpoint: 'GET /software/' },
      { endpoint: 'GET /software/chocos/' },
      { endpoint: 'GET /software/titles/:title/' },
      { endpoint: 'GET /agents/:agent_id/timeline/', by: 'agent_id' },
      { endpoint: 'GET /agents/:agent_id/changes/', by: 'agent_id' },
    ],
  },
  /** Agents have scanned for patches. */
  'patches.scanned': {
    permissions: ['can_manage_winupdates'],
    scope: 'agents',
    stale: [
      { endpoint: 'GET /winupdate/:agent_id/', by: 'agent_id' },
      { endpoint: 'GET /winupdate/:agent_id/status/', by: 'agent_id' },
    ],
  },
  /** The patches that machines can install, or decisions about them, have changed. */
  'patches.changed': {
    permissions: ['can_manage_winupdates'],
    scope: 'agents',
    stale: [
      { endpoint: 'GET /winupdate/:agent_id/policy/', by: 'agent_id' },
      { endpoint: 'GET /patches/' },
      { endpoint: 'GET /patches/versions/:patch/' },
      { endpoint: 'GET /patches/summary/' },
      { endpoint: 'GET /patches/failures/' },
      { endpoint: 'GET /overview/' },
    ],
  },
  'history.changed': {
    permissions: ['can_list_agent_history'],
    scope: 'agents',
    stale: [
      { endpoint: 'GET /winupdate/:agent_id/status/' },
      { endpoint: 'GET /patches/failures/' },
      { endpoint: 'GET /agents/:agent_id/history/' },
      { endpoint: 'GET /agents/:agent_id/changes/' },
      { endpoint: 'GET /agents/history/:id/', by: 'id' },
      { endpoint: 'GET /agents/history/:id/output/', by: 'id' },
    ],
  },
  /** The state or the progress of jobs on many machines, at most twice a second for each; ids are those of jobs. */
  'fleet_job.changed': {
    permissions: ['can_list_agent_history'],
    scope: 'ids',
    stale: [
      { endpoint: 'GET /jobs/' },
      { endpoint: 'GET /jobs/:id/', by: 'id' },
      { endpoint: 'GET /jobs/:id/machines/', by: 'id' },
      { endpoint: 'GET /jobs/:id/groups/:group/', by: 'id' },
      { endpoint: 'GET /overview/' },
    ],
  },
  /** A repeating job, or the last or next time of one; ids are those of repeating jobs. */
  'repeating_job.changed': {
    permissions: ['can_list_agent_history'],
    scope: 'all',
    stale: [
      { endpoint: 'GET /jobs/repeating/' },
      { endpoint: 'GET /jobs/repeating/:id/', by: 'id' },
      { endpoint: 'GET /overview/' },
    ],
  },
  'note.changed': {
    permissions: ['can_list_notes'],
    scope: 'agents',
    stale: [{ endpoint: 'GET /agents/:agent_id/notes/' }],
  },
  /** Planned, cancelled or over. */
  'pendingaction.changed': {
    permissions: ['can_list_pendingactions'],
    scope: 'agents',
    stale: [{ endpoint: 'GET /logs/pendingactions/' }, { endpoint: 'GET /agents/:agent_id/pendingactions/' }],
  },
  /** Sessions of remote tools that started or ended; ids are those of agents. */
  'remote_session.changed': {
    permissions: ['can_view_recordings', 'can_use_mesh'],
    scope: 'agents',
    stale: [
      { endpoint: 'GET /agents/:agent_id/remotesessions/', by: 'agent_id' },
      { endpoint: 'GET /agents/:agent_id/terminals/', by: 'agent_id' },
      { endpoint: 'GET /agents/:agent_id/remotesessions/open/', by: 'agent_id' },
    ],
  },
  /** Rules for remote tools at these agents, or at any; ids are those of agents. */
  'remote_access.changed': {
    permissions: ['can_list_agents'],
    scope: 'all',
    stale: [{ endpoint: 'GET /remoteaccess/:level/:id/' }],
  },
  /** The build of a package of the agent: begun, at its next step, or over. */
  'package.changed': {
    permissions: ['can_install_agents'],
    scope: 'all',
    stale: [{ endpoint: 'GET /agents/packages/' }],
  },
  /** A link of a visible site, or of another; ids are not sent. */
  'deployment.changed': {
    permissions: ['can_list_deployments'],
    scope: 'all',
    stale: [{ endpoint: 'GET /clients/deployments/' }],
  },
  /** Which disks fill up, every hour. */
  'disk_forecast.changed': {
    permissions: ['can_list_agents'],
    scope: 'all',
    stale: [{ endpoint: 'GET /overview/' }],
  },
  'audit.added': {
    permissions: ['can_view_auditlogs'],
    scope: 'agents_or_all',
    stale: [{ endpoint: 'PATCH /logs/audit/' }, { endpoint: 'GET /agents/:agent_id/changes/' }],
  },
  'user.changed': {
    permissions: ['can_list_accounts'],
    scope: 'users',
    stale: [
      { endpoint: 'GET /core/first-steps/' },
      { endpoint: 'GET /accounts/users/me/' },
      { endpoint: 'GET /accounts/users/' },
      { endpoint: 'GET /accounts/apikeys/' },
      { endpoint: 'GET /accounts/invitations/' },
      { endpoint: 'GET /accounts/ssoproviders/' },
      { endpoint: 'GET /accounts/users/:id/ssoaccounts/', by: 'id' },
      { endpoint: 'GET /accounts/passkeys/' },
      { endpoint: 'GET /accounts/users/:id/passkeys/', by: 'id' },
      { endpoint: 'GET /core/dashinfo/' },
      { endpoint: 'GET /accounts/roles/' },
      { endpoint: 'GET /accounts/roles/:id/', by: 'id' },
    ],
  },
  'sso_provider.changed': {
    permissions: ['can_list_accounts'],
    scope: 'all',
    stale: [{ endpoint: 'GET /accounts/ssoproviders/' }, { endpoint: 'GET /accounts/users/' }],
  },
  /** An API key, or its last use. */
  'api_key.changed': {
    permissions: ['can_list_api_keys'],
    scope: 'ids',
    stale: [{ endpoint: 'GET /accounts/apikeys/' }],
  },
  'session.ended': {
    permissions: ['can_list_accounts'],
    scope: 'all',
    stale: [{ endpoint: 'GET /accounts/sessions/' }, { endpoint: 'GET /accounts/users/:id/sessions/' }],
  },
  /** A sign-in, or a failed one; ids are those of users. */
  'sign_in.added': {
    permissions: ['can_list_accounts', 'can_manage_accounts'],
    scope: 'users',
    stale: [
      { endpoint: 'GET /accounts/sign-ins/' },
      { endpoint: 'GET /accounts/users/:id/sign-ins/', by: 'id' },
      { endpoint: 'GET /accounts/passkeys/' },
      { endpoint: 'GET /accounts/users/:id/passkeys/', by: 'id' },
      { endpoint: 'GET /accounts/sessions/' },
      { endpoint: 'GET /accounts/users/:id/sessions/', by: 'id' },
      { endpoint: 'GET /accounts/users/' },
    ],
  },
  'settings.changed': {
    scope: 'ids',
    stale: [
      { endpoint: 'GET /core/dashinfo/' },
      { endpoint: 'GET /core/settings/' },
      { endpoint: 'GET /core/backups/' },
      { endpoint: 'GET /accounts/users/me/' },
    ],
  },
} as const satisfies Record<string, EventRule>
export type EventType = keyof typeof EVENTS
// Object.keys() returns string[].
export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]]
/** A rule without the literal types of the table. */
export const eventRule = (type: EventType): EventRule => EVENTS[type]

/**
 * An event as it travels between server processes. `agent_ids` limits each console to what its user may see: either
 * one per id, in pairs, or those that all of the ids belong to. Without ids the event may concern any record of the
 * kind. `passing` marks an `agent.changed` that only has momentary changes (presence, results, free space), which no
 * policy search or script variable uses.
 */
export interface Event {
  type: EventType
  ids: (number | string)[]
  agent_ids?: string[] | undefined
  passing?: true | undefined
}

/** Additional close codes of the live socket. */
export const LIVE_CLOSE = {
  ticketRefused: 4001,
  silent: 4002,
  unknownMessage: 4003,
  tooSlow: 4008,
  sessionEnded: 4401,
} as const
