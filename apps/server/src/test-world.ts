import type { Endpoint } from '@muster/contract/endpoint'
import type { TestServer } from './test-server.ts'
import type { TestUser } from './test-given.ts'
import { audit } from './features/audit/write-audit.ts'

const CHANNEL = {
  name: 'A new channel',
  settings: { kind: 'slack', url: 'https://slack.example/x' },
  rules: {},
}

/** A client with one of everything in it, whose texts all carry its name. */
export interface World {
  name: string
  clientId: number
  siteId: number
  agentId: string
  noteId: number
  historyId: number
  scriptId: number
  checkId: number
  taskId: number
  taskRunId: number
  alertId: number
  windowId: number
  channelId: number
  user: TestUser
}

const COMMAND = { type: 'cmd', shell: 'sh', command: 'true' }
const SCHEDULE = {
  starts: '2099-01-01T02:00',
  minutes: 60,
  time_zone: 'Europe/Zurich',
  recurs: 'once',
  weekdays: [],
  month_days: [],
  until: null,
}

export async function createWorld({ ctx, given }: TestServer, name: string): Promise<World> {
  const now = ctx.now().toISOString()
  const client = await given.client({ name: `${name} client` })
  const site = await given.site({ client_id: client.id, name: `${name} site` })
  const agent = await given.agent({ site_id: site.id, hostname: `${name}-pc`, description: `${name} text` })
  const script = await given.script({ script_body: 'echo' })
  const note = await ctx.db
    .insertInto('agent_notes')
    .values({ agent_id: agent.agent_id, username: 'ada', note: `${name} note`, entry_time: now })
    .returning('pk')
    .executeTakeFirstOrThrow()
  const check = await given.check({
    agent_id: agent.agent_id,
    settings: JSON.stringify({ name: `${name} router`, ip: '192.0.2.1', alert_severity: 'warning' }),
  })
  await ctx.db
    .insertInto('check_results')
    .values({
      check_id: check.id,
      status: 'failing',
      alert_severity: 'warning',
      more_info: `${name} info`,
      last_run: now,
      fail_count: 1,
      failing_since: now,
      measured: '{"check_type":"unmeasurable","reason":""}',
    })
    .execute()
  const task = await given.task({ agent_id: agent.agent_id, name: `${name} task` })
  const run = await ctx.db
    .insertInto('task_runs')
    .values({
      task_id: task.id,
      run_id: 'run-00001',
      state: 'ended',
      trigger: 'manual',
      status: 'failing',
      started_at: now,
      more_info: `${name} failed`,
      missed: 0,
      actions: '[]',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const window = await ctx.db
    .insertInto('maintenance_windows')
    .values({
      reason: `${name} works`,
      schedule: JSON.stringify(SCHEDULE),
      ended_at: null,
      created_by: 'ada',
      created_at: now,
      modified: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await ctx.db
    .insertInto('maintenance_targets')
    .values({ window_id: window.id, client_id: client.id, site_id: null, agent_id: null })
    .execute()
  const alert = await ctx.db
    .insertInto('alerts')
    .values({
      cause: `check:${check.id}`,
      open_cause: `check:${check.id}`,
      alert_type: 'check',
      state: 'open',
      severity: 'warning',
      message: `${name} router is away`,
      agent_id: agent.agent_id,
      check_id: check.id,
      alert_time: now,
      acknowledged_by: '',
      resolved_by: '',
      flapping: 0,
      created_at: now,
      modified: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const history = await ctx.db
    .insertInto('agent_history')
    .values({
      agent_id: agent.agent_id,
      time: now,
      type: 'cmd_run',
      state: 'queued',
      reason: null,
      command: `echo ${name}`,
      script_id: null,
      script_name: null,
      shell: 'sh',
      username: 'ada',
      run_as_user: null,
      timeout_seconds: 60,
      expires_at: new Date(ctx.now().getTime() + 3_600_000).toISOString(),
      command_name: 'run-command',
      command_input: '{}',
      nonce: `nonce ${name}`,
      sent_at: null,
      started_at: null,
      finished_at: null,
      retcode: null,
      execution_time: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await ctx.db
    .insertInto('history_output')
    .values({ history_id: history.id, chunk: 1, stream: 'stdout', text: `${name} output` })
    .execute()
  await audit(ctx.db, {
    caller: { username: 'ada', source: '' },
    action: 'modify',
    object_type: 'agent',
    message: `${name} message`,
    agent,
  })
  const channel = await ctx.db
    .insertInto('alert_channels')
    .values({
      name: `${name} channel`,
      settings: JSON.stringify({ kind: 'ntfy', url: 'https://ntfy.sh/alerts', token: '' }),
      rules: JSON.stringify({ enabled: false }),
      created_at: now,
      modified: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return {
    name,
    clientId: client.id,
    siteId: site.id,
    agentId: agent.agent_id,
    noteId: note.pk,
    historyId: history.id,
    scriptId: script.id,
    checkId: check.id,
    taskId: task.id,
    taskRunId: run.id,
    alertId: alert.id,
    windowId: window.id,
    channelId: channel.id,
    user: await given.user(),
  }
}

/** The address of an endpoint with the things of this world in it. */
export function addressIn(world: World, { path }: Endpoint): string {
  return path
    .replace(':agent_id', world.agentId)
    .replace(':pk', String(world.noteId))
    .replace(':run', String(world.taskRunId))
    .replace(':digest', world.user.sessionDigest)
    .replace(':id', String(idFor(world, path)))
}

/** What must be in the query. */
export function queryIn({ path }: Endpoint): string {
  return path.endsWith('/samples/') ? '?from=0&to=1800000000' : ''
}

function idFor(world: World, path: string): number {
  if (path.startsWith('/clients/sites/')) return world.siteId
  if (path.startsWith('/clients/')) return world.clientId
  if (path.startsWith('/agents/history/')) return world.historyId
  if (path.startsWith('/scripts/')) return world.scriptId
  if (path.startsWith('/checks/')) return world.checkId
  if (path.startsWith('/tasks/')) return world.taskId
  if (path.startsWith('/alerts/:id/')) return world.alertId
  if (path.startsWith('/maintenance/')) return world.windowId
  if (path.startsWith('/alerts/channels/')) return world.channelId
  return world.user.id
}

/**
 * A good body for every endpoint that takes one, about the things of this world. An endpoint that is missing here
 * fails the walk: say how it is called.
 */
export function bodyIn(world: World, endpoint: Endpoint): unknown {
  const { clientId: client, siteId: site, agentId: agent_id } = world
  const bodies: Record<string, unknown> = {
    'PUT /agents/:agent_id/': { description: 'changed' },
    'POST /agents/maintenance/bulk/': { type: 'Client', id: client, action: true },
    'POST /agents/installer/': { client, site, agenttype: 'server', plat: 'linux' },
    'PATCH /logs/audit/': {},
    'POST /clients/': { client: { name: 'A new client' }, site: { name: 'A new site' } },
    'PUT /clients/:id/': { client: { name: 'changed' } },
    'POST /clients/sites/': { site: { client, name: 'A new site' } },
    'PUT /clients/sites/:id/': { site: { name: 'changed' } },
    'POST /agents/:agent_id/cmd/': { shell: 'sh', cmd: 'true', wait: false },
    'POST /agents/:agent_id/runscript/': { script: world.scriptId, wait: false },
    'POST /agents/notes/': { agent_id, note: 'A new note' },
    'PUT /agents/notes/:pk/': { note: 'changed' },
    'POST /checks/': {
      agent: agent_id,
      settings: { check_type: 'ping', name: 'A new check', ip: 'localhost' },
    },
    'PUT /checks/:id/': { settings: { check_type: 'ping', name: 'changed', ip: 'localhost' } },
    'POST /checks/:agent_id/run/': {},
    'POST /tasks/': { agent: agent_id, name: 'A new task', task_type: 'manual', actions: [COMMAND] },
    'PUT /tasks/:id/': { name: 'changed' },
    'POST /maintenance/': { targets: [{ type: 'client', id: client }], schedule: SCHEDULE },
    'PUT /maintenance/:id/': { targets: [{ type: 'client', id: client }], schedule: SCHEDULE },
    'POST /alerts/channels/': CHANNEL,
    'PUT /alerts/channels/:id/': CHANNEL,
    // Nothing listens on port 1, so the test ends at once.
    'POST /alerts/channels/test/': { settings: { kind: 'slack', url: 'http://127.0.0.1:1/' } },
    'PATCH /alerts/': {},
    'POST /alerts/': { message: 'A new alert', severity: 'info', agent: agent_id },
    'PUT /alerts/:id/': { type: 'acknowledge' },
    'POST /alerts/:id/notes/': { note: 'A new note' },
    'POST /alerts/bulk/': { bulk_action: 'resolve', alerts: [world.alertId] },
    'POST /scripts/': { name: 'A new script', shell: 'shell', script_body: 'true' },
    'PUT /scripts/:id/': { description: 'changed' },
    'POST /v2/checkcreds/': { username: 'nobody', password: 'wrong' },
    'POST /v2/login/': { username: 'nobody', password: 'wrong', twofactor: '123456' },
    'POST /accounts/users/confirm_totp/': { twofactor: '123456' },
    'PUT /accounts/resetpw/': { password: 'a new password' },
    'PATCH /accounts/users/ui/': { dark_mode: false },
    'POST /agent/enrol/': { token: 'unknown' },
  }
  if (endpoint.body === undefined) return undefined
  const name = `${endpoint.method} ${endpoint.path}`
  if (name in bodies) return bodies[name]
  throw new Error(`How is ${name} called? Add a body to test-world.ts.`)
}
