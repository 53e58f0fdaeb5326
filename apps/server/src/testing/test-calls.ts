import type { Endpoint } from '@muster/contract/endpoint'
import { SCHEDULE, type World } from './test-world.ts'

/** Nothing listens there. */
const CLOSED_URL = 'http://127.0.0.1:1/'
const COMMAND = { type: 'cmd', shell: 'sh', command: 'true' }
const CHANNEL = {
  name: 'A new channel',
  settings: { kind: 'slack', url: 'https://slack.example/x' },
}

const JOB = (id: number) => ({
  target: { by: 'client', id },
  action: { type: 'command', shell: 'sh', cmd: 'true' },
})

/** The URL of an endpoint with ids of this world. */
export function addressIn(world: World, { path }: Endpoint): string {
  return path
    .replace(':agent_id', world.agentId)
    .replace(':level', 'client')
    .replace(':version_id', String(world.versionId))
    .replace(':account_id', String(world.sso.accountId))
    .replace(':passkey_id', String(world.passkeyId))
    .replace(':pk', String(world.noteId))
    .replace(':run', String(world.taskRunId))
    .replace(':pid', '4711')
    .replace(':name', 'cron.service')
    .replace(':number', '1')
    .replace(':title', world.titleId)
    .replace(':patch', world.patchVersion)
    .replace(':group', 'failed-1')
    .replace(':log', 'System')
    .replace(':days', '1')
    .replace(':upload', '00000000-0000-4000-8000-000000000000')
    .replace(':digest', world.user.sessionDigest)
    .replace(':id', path.startsWith('/remotesessions/') ? world.remoteSessionId : String(idFor(world, path)))
}

const ON_CALL = { time_zone: 'UTC', rotates: 'daily', starts: '2026-11-23T09:00' }

/** Required query parameters. */
export function queryIn({ path, query }: Endpoint): string {
  if (query === undefined) return ''
  if (path === '/alerts/templates/preview/') return '?agent=nosuchmachine&alert_type=check&severity=error'
  if (path === '/agents/values/') return '?names=enrolled,mac,policies,open_alerts'
  if (path === '/agents/metrics/compare/') return '?agents=nosuchmachine&what=cpu&from=0&to=1800000000'
  if (path.endsWith('/processes/:pid/')) return '?start=1'
  if (/\/registry\/.+/.test(path)) return '?path=HKCU%5Cx'
  return /\/(samples|metrics|timeline|changes)\/$/.test(path) ? '?from=0&to=1800000000' : ''
}

function idFor(world: World, path: string): number {
  if (path.startsWith('/clients/deployments/')) return world.deploymentId
  if (path.startsWith('/agents/updates/')) return world.clientId
  if (path.startsWith('/clients/sites/')) return world.siteId
  if (path.startsWith('/clients/')) return world.clientId
  if (path.startsWith('/logs/pendingactions/')) return world.actionId
  if (path.startsWith('/agents/history/')) return world.historyId
  if (path.startsWith('/jobs/repeating/')) return world.repeatingJobId
  if (path.startsWith('/jobs/')) return world.jobId
  if (path.startsWith('/winupdate/')) return world.patchId
  if (path.startsWith('/scripts/snippets/')) return world.snippetId
  if (path.startsWith('/scripts/')) return world.scriptId
  if (path.startsWith('/checks/')) return world.checkId
  if (path.startsWith('/tasks/')) return world.taskId
  if (path.startsWith('/alerts/:id/')) return world.alertId
  if (path.startsWith('/maintenance/')) return world.windowId
  if (path.startsWith('/automation/places/')) return world.clientId
  if (path.startsWith('/remoteaccess/')) return world.clientId
  if (path.startsWith('/automation/')) return world.policyId
  if (path.startsWith('/alerts/channels/')) return world.channelId
  if (path.startsWith('/alerts/templates/')) return world.templateId
  if (path.startsWith('/alerts/oncall/')) return world.onCallId
  if (path.startsWith('/alerts/escalations/')) return world.chainId
  if (path.startsWith('/views/')) return world.viewId
  if (path.startsWith('/core/urlaction/')) return world.urlActionId
  if (path.startsWith('/core/webhooks/')) return world.webhookId
  if (path.startsWith('/tags/')) return world.tagId
  if (path.startsWith('/core/keystore/')) return world.keyId
  if (path.startsWith('/accounts/invitations/')) return world.invitationId
  if (path.startsWith('/accounts/apikeys/')) return world.apiKeyId
  if (path.startsWith('/accounts/ssoproviders/')) return world.sso.providerId
  if (path.startsWith('/accounts/passkeys/')) return world.passkeyId
  if (path.startsWith('/software/files/')) return world.packageFileId
  if (path.startsWith('/core/customfields/')) return world.fieldId
  return world.user.id
}

/** A valid body for every endpoint that takes one. An endpoint that is missing here fails the walk: add an example. */
export function bodyIn(world: World, endpoint: Endpoint): unknown {
  const { clientId: client, siteId: site, agentId: agent_id } = world
  const channel = { ...CHANNEL, rules: { clients: [client] } }
  const placed = { id: world.policyId, monitoring_type: null }
  const bodies: Record<string, unknown> = {
    'PUT /agents/:agent_id/': { description: 'changed' },
    'POST /core/urlaction/': { name: 'A new link', pattern: 'https://example.org' },
    'PUT /core/urlaction/:id/': { desc: 'changed' },
    'POST /core/webhooks/': { name: 'A new webhook', url: CLOSED_URL, events: ['alert.opened'] },
    'PUT /core/webhooks/:id/': { enabled: false },
    'POST /core/webhooks/:id/deliveries/resend/': {},
    'POST /core/webhooks/:id/deliveries/discard/': {},
    'PATCH /core/urlaction/run/': { action: world.urlActionId, agent_id },
    'POST /views/': { name: 'a new view' },
    'PUT /views/:id/': { search: 'changed' },
    'POST /tags/': { name: 'a new tag' },
    'PUT /tags/:id/': { color: 'red' },
    'POST /agents/tags/bulk/': { agents: [agent_id], add: ['a new tag'] },
    'PUT /core/settings/': { check_history_prune_days: 8 },
    'POST /jobs/plan/': JOB(client),
    'POST /jobs/:id/pause/': {},
    'POST /jobs/:id/resume/': {},
    'POST /jobs/:id/retry/': {},
    'POST /jobs/:id/undo/': {},
    'POST /jobs/': { draft: JOB(client), hash: '0123456789ab' },
    'POST /jobs/repeating/': { draft: JOB(client), repeat: { cron: '0 2 * * *' } },
    'PUT /jobs/repeating/:id/': { paused: true },
    'POST /agents/actions/bulk/': {
      mode: 'command',
      target: 'client',
      client,
      shell: 'sh',
      cmd: 'true',
      offlineAgents: true,
    },
    'POST /agents/update/': { agent_ids: [agent_id] },
    'PUT /agents/updates/settings/:level/:id/': {
      mode: 'paused',
      version: null,
      waves: null,
      max_rollbacks: null,
    },
    'POST /agents/search/': { search: '' },
    'POST /agents/maintenance/bulk/': { type: 'Client', id: client, action: true },
    'POST /agents/installer/': { client, site, agenttype: 'server', plat: 'linux' },
    'POST /agents/packages/': { platform: 'windows', arch: 'x64', format: 'msi' },
    'POST /clients/deployments/': {
      site,
      agenttype: 'server',
      expires: new Date(Date.now() + 3_600_000).toISOString(),
    },
    'PATCH /logs/audit/': {},
    'POST /clients/': { client: { name: 'A new client' }, site: { name: 'A new site' } },
    'PUT /clients/:id/': { client: { name: 'changed' } },
    'POST /clients/sites/': { site: { client, name: 'A new site' } },
    'PUT /clients/sites/:id/': { site: { name: 'changed' } },
    'PUT /agents/:agent_id/processes/:pid/': { start: '1', nice: 5 },
    'POST /scheduler/:agent_id/': { name: 'logrotate.timer', action: 'run' },
    'POST /services/:agent_id/:name/': { sv_action: 'restart' },
    'PUT /services/:agent_id/:name/': { startType: 'manual' },
    'POST /agents/:agent_id/registry/create-key/': { path: 'HKCU\\x' },
    'POST /agents/:agent_id/registry/rename-key/': { path: 'HKCU\\x', new_name: 'y' },
    'POST /agents/:agent_id/registry/create-value/': REGISTRY_VALUE,
    'POST /agents/:agent_id/registry/modify-value/': REGISTRY_VALUE,
    'POST /agents/:agent_id/registry/rename-value/': { path: 'HKCU\\x', old_name: 'a', new_name: 'b' },
    'POST /agents/:agent_id/files/change/': { change: 'delete', path: 'L2E' },
    'PUT /agents/:agent_id/files/text/': { path: 'L2E', text: '', hash: '0'.repeat(64) },
    'POST /agents/:agent_id/files/uploads/': { path: 'L2E', size: 1 },
    'POST /agents/:agent_id/files/uploads/:upload/': { path: 'L2E', size: 1, hash: null },
    'POST /agents/:agent_id/files/download/': { path: 'Lw' },
    'POST /agents/:agent_id/approvals/': {
      definitions: [{ kind: 'task', id: world.taskId, revision: 'of another task' }],
    },
    'POST /agents/:agent_id/cmd/': { shell: 'sh', cmd: 'true', wait: false },
    'POST /agents/:agent_id/runscript/': { script: world.scriptId, wait: false },
    'POST /agents/:agent_id/reboot/': { message: 'Updates' },
    'POST /agents/:agent_id/shutdown/': { now: true },
    'POST /agents/:agent_id/signout/': {},
    'PATCH /agents/:agent_id/reboot/': { datetime: new Date(Date.now() + 3_600_000).toISOString() },
    'POST /agents/notes/': { agent_id, note: 'A new note' },
    'PUT /agents/notes/:pk/': { note: 'changed' },
    'POST /checks/': {
      agent: agent_id,
      settings: { check_type: 'ping', name: 'A new check', ip: 'localhost' },
    },
    'PUT /checks/:id/': { settings: { check_type: 'ping', name: 'changed', ip: 'localhost' } },
    'POST /checks/:agent_id/run/': {},
    'PATCH /checks/:id/history/': { timeFilter: 7 },
    'POST /tasks/': { agent: agent_id, name: 'A new task', task_type: 'manual', actions: [COMMAND] },
    'PUT /tasks/:id/': { name: 'changed' },
    'POST /tasks/:id/run/': {},
    'POST /maintenance/': { targets: [{ type: 'client', id: client }], schedule: SCHEDULE },
    'PUT /maintenance/:id/': { targets: [{ type: 'client', id: client }], schedule: SCHEDULE },
    'POST /automation/policies/': { name: 'A new policy', targets: [clientTarget(client)] },
    'PUT /automation/policies/:id/': { desc: 'changed' },
    'POST /automation/plan/': { id: world.policyId },
    'POST /automation/patchpolicy/': { policy: world.policyId },
    'PUT /automation/patchpolicy/:id/': { critical: 'approve' },
    'POST /automation/patchpolicy/reset/': {},
    'PUT /winupdate/:agent_id/policy/': { ring: { ring: 2 } },
    'POST /automation/policies/:id/revert/': { version: 1 },
    'POST /automation/inheritance/': {
      target: { level: 'agent', id: agent_id },
      block_policy_inheritance: true,
    },
    'PUT /automation/places/:level/:id/': { policies: [placed] },
    'POST /automation/places/:level/:id/plan/': { policies: [placed] },
    'POST /accounts/roles/': { name: 'A new role' },
    'POST /accounts/roles/preview/': { can_list_agents: true },
    'POST /software/:agent_id/': { name: 'cowsay' },
    'POST /software/:agent_id/uninstall/': { name: 'cowsay', command: 'apt-get purge cowsay' },
    'POST /software/files/': { name: 'New file', file_name: 'new.deb', bytes: 1 },
    'POST /software/files/:id/parts/:number/': { data: 'AA==' },
    'PUT /software/files/:id/': { name: 'changed', args: '', detection: null },
    'PUT /winupdate/:id/': { action: 'approve' },
    'POST /patches/decide/': { patches: [world.patchVersion], action: 'approve' },
    'POST /winupdate/:agent_id/install/': { guids: ['libc6'] },
    'PUT /accounts/roles/:id/': { require_2fa_for_remote: true },
    'POST /accounts/sessions/confirm/': { twofactor: '000000' },
    'PUT /remoteaccess/:level/:id/': {
      forbidden: true,
      hours: 'always',
      consent: null,
      consent_seconds: null,
      banner: null,
    },
    'PUT /automation/agents/:agent_id/settings/': { check_interval: 60 },
    'POST /alerts/channels/': channel,
    'PUT /alerts/channels/:id/': channel,
    // Nothing listens on port 1, so the test ends at once.
    'POST /alerts/channels/test/': {
      id: world.channelId,
      settings: { kind: 'slack', url: 'http://127.0.0.1:1/' },
    },
    'POST /alerts/push/': BROWSER,
    'POST /alerts/templates/': { name: 'A new template' },
    'PUT /alerts/templates/:id/': { name: 'changed' },
    'PUT /alerts/templates/default/': { alert_template: null },
    'POST /alerts/oncall/': { ...ON_CALL, members: [world.user.id], name: 'A new schedule' },
    'PUT /alerts/oncall/:id/': { ...ON_CALL, members: [world.user.id], name: 'changed' },
    'POST /alerts/escalations/': {
      name: 'A new chain',
      steps: [{ after_minutes: 0, users: [world.user.id] }],
    },
    'PUT /alerts/escalations/:id/': {
      name: 'changed',
      steps: [{ after_minutes: 5, users: [world.user.id] }],
    },
    'PATCH /alerts/': {},
    'PATCH /alerts/causes/': {},
    'PATCH /alerts/counts/': {},
    'POST /alerts/': { message: 'A new alert', severity: 'info', agent: agent_id },
    'PUT /alerts/:id/': { type: 'acknowledge' },
    'POST /alerts/:id/notes/': { note: 'A new note' },
    'POST /alerts/bulk/': { bulk_action: 'resolve', alerts: [world.alertId] },
    'POST /scripts/': { name: 'A new script', shell: 'shell', script_body: 'true' },
    'POST /scripts/:id/versions/:version_id/restore/': {},
    'POST /scripts/:id/approval/': { hash: 'of another version' },
    'POST /scripts/snippets/': { name: 'A new snippet', code: 'true', shell: 'shell' },
    'PUT /scripts/snippets/:id/': { desc: 'changed' },
    'POST /scripts/:agent_id/test/': { code: 'true', shell: 'shell', wait: false },
    'PUT /scripts/:id/': { description: 'changed' },
    'POST /core/openai/generate/': { prompt: 'Print the date' },
    'POST /core/serverscript/test/': { code: 'true', shell: 'shell' },
    'PATCH /core/customfields/': { model: 'agent' },
    'POST /core/customfields/': { model: 'agent', type: 'text', name: 'A new field' },
    'PUT /core/customfields/:id/': { hide_in_ui: true },
    'POST /core/keystore/': { name: 'A new key', value: 'secret' },
    'PUT /core/keystore/:id/': { name: 'changed' },
    'POST /v2/checkcreds/': { username: 'nobody', password: 'wrong' },
    'POST /v2/login/': { username: 'nobody', password: 'wrong', twofactor: '123456' },
    'POST /accounts/users/confirm_totp/': { twofactor: '123456' },
    'POST /accounts/recovery_codes/': { current_password: 'a wrong password' },
    'POST /accounts/users/': { username: 'new.user', password: 'a new password' },
    'PUT /accounts/:id/users/': { first_name: 'Ada' },
    'POST /accounts/invitations/': { role: world.user.roleId },
    'POST /accounts/invitations/open/': { token: 'nosuchtoken' },
    'POST /accounts/invitations/accept/': {
      token: 'nosuchtoken',
      username: 'invited',
      password: 'battery of staples',
    },
    'POST /accounts/ssoproviders/': { name: 'new', server_url: CLOSED_URL, client_id: 'muster' },
    'PUT /accounts/ssoproviders/:id/': { link_by_email: true },
    'POST /accounts/sso/start/': { provider: 'nosuchprovider' },
    'POST /accounts/sso/finish/': { query: 'state=nosuchstate' },
    'POST /accounts/passkeys/start/': { current_password: 'a wrong password' },
    'POST /accounts/passkeys/': {
      name: 'A new passkey',
      id: 'nosuchpasskey',
      client_data: 'e30',
      attestation: 'oA',
      transports: [],
    },
    'PUT /accounts/passkeys/:id/': { name: 'changed' },
    'POST /accounts/passkeys/:id/delete/': { current_password: 'a wrong password' },
    'POST /accounts/passkeys/sign-in/': {
      id: 'nosuchpasskey',
      client_data: 'e30',
      authenticator_data: 'AA',
      signature: 'AA',
    },
    'POST /accounts/apikeys/': { name: 'A new key', user: world.user.id },
    'PUT /accounts/apikeys/:id/': { expiration: '2099-01-01T00:00:00.000Z' },
    'POST /accounts/apikeys/:id/rotate/': {},
    'POST /accounts/users/reset/': { id: world.user.id, password: 'a new password' },
    'PUT /accounts/users/reset_totp/': { id: world.user.id },
    'PUT /accounts/resetpw/': { password: 'a new password', current_password: 'a wrong password' },
    'PUT /accounts/reset2fa/': { current_password: 'a wrong password' },
    'PATCH /accounts/users/ui/': { dark_mode: false },
    'POST /agent/enrol/': { token: 'unknown' },
    'POST /agent/certificate-proof/': { nonce: 'n'.repeat(43) },
  }
  if (endpoint.body === undefined) return undefined
  const name = `${endpoint.method} ${endpoint.path}`
  if (name in bodies) return bodies[name]
  throw new Error(`How is ${name} called? Add a body to test-calls.ts.`)
}

const BROWSER = {
  endpoint: 'https://push.example.com/of-this-walk',
  keys: {
    p256dh: 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
    auth: 'tBHItJI5svbpez7KI4CCXg',
  },
}

const REGISTRY_VALUE = { path: 'HKCU\\x', name: 'a', type: 'REG_DWORD', bytes: 'AQAAAA==' }

function clientTarget(id: number) {
  return { level: 'client', id, monitoring_type: null }
}
