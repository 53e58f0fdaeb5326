import type { Patch, PatchReport } from '@muster/contract/agent/patches'
import { AlertTemplateForm } from '@muster/contract/api/alert-templates'
import { ScriptContent } from '@muster/contract/api/scripts'
import { randomUUID } from 'node:crypto'
import type { TestServer } from './test-server.ts'
import type { TestUser } from './test-given.ts'
import { columnsOf } from '../features/alerts/templates/stored-template.ts'
import { givenChain } from '../features/alerts/escalations/test-chain.ts'
import { audit } from '../features/audit/write-audit.ts'
import { givenDeployment } from '../features/installers/deployments/test-deployment.ts'
import { insertAction } from '../features/power/pending-actions/pending-actions.ts'
import { insertSession } from '../features/remote/queries.ts'
import { viewOwnDetail } from '../features/scripts/queries.ts'
import { storePatches } from '../features/patches/store-patches.ts'
import { patchDigest } from '../features/patches/patch-index.ts'
import { patchId } from '../features/patches/queries.ts'
import { patchOf } from '../features/patches/test-patches.ts'
import { storeSoftware } from '../features/software/store-software.ts'
import { titleOf } from '../features/software/replace-software.ts'
import { givenPackageFile } from '../features/software/package-files/test-package-files.ts'
import { known, reportOf } from '../features/software/test-software.ts'
import { givenInvitation } from '../features/users/invitations/test-invitation.ts'
import { insertSsoAccount } from '../features/sso/test-account.ts'
import { insertTestPasskey } from '../features/users/passkeys/test-authenticator.ts'
import { insertWebhook } from './test-webhook.ts'

/** A client with one of everything, whose texts contain its name, and one of everything that clients share. */
export interface World {
  name: string
  clientId: number
  siteId: number
  agentId: string
  noteId: number
  historyId: number
  /** A job that failed on the machine. */
  jobId: number
  repeatingJobId: number
  scriptId: number
  versionId: number
  checkId: number
  taskId: number
  taskRunId: number
  alertId: number
  windowId: number
  deploymentId: number
  channelId: number
  policyId: number
  keyId: number
  /** An API key of the user. */
  apiKeyId: number
  invitationId: number
  packageFileId: number
  tagId: number
  viewId: number
  urlActionId: number
  webhookId: number
  sso: Awaited<ReturnType<typeof insertSsoAccount>>
  passkeyId: number
  fieldId: number
  snippetId: number
  templateId: number
  onCallId: number
  chainId: number
  remoteSessionId: string
  actionId: number
  patchId: number
  /** That patch, on all machines of the client. */
  patchVersion: string
  /** A package of the machine. */
  titleId: string
  user: TestUser
}

export const SCHEDULE = {
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
  const dates = { created_at: now, modified: now }
  const client = await given.client({ name: `${name} client` })
  const site = await given.site({ client_id: client.id, name: `${name} site` })
  const agent = await given.agent({ site_id: site.id, hostname: `${name}-pc`, description: `${name} text` })
  const script = await given.script({ script_body: 'echo' })
  const version = await ctx.db
    .insertInto('script_versions')
    .values({
      script_id: script.id,
      username: 'ada',
      saved_at: now,
      content: JSON.stringify(ScriptContent.parse(viewOwnDetail(script))),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  // Names of endpoints have a colon, which tags may not have.
  const tagName = `${name} tag`.replaceAll(':', '')
  const tag = await ctx.db
    .insertInto('tags')
    .values({
      name: tagName,
      name_key: tagName.toLowerCase(),
      color: 'gray',
      ...dates,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await ctx.db.insertInto('agent_tags').values({ agent_id: agent.agent_id, tag_id: tag.id }).execute()
  const template = await ctx.db
    .insertInto('alert_templates')
    .values({
      ...columnsOf(AlertTemplateForm.parse({ name: `Template ${randomUUID()}` }), ctx.secrets),
      ...dates,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const chain = await givenChain(ctx)
  const patch = patchOf('libc6', { title: `${name} patch` })
  await storePatches(ctx.db, ctx.emit, {
    reports: [{ agentId: agent.agent_id, report: patchReportOf(patch) }],
    now: ctx.now(),
  })
  await ctx.db
    .insertInto('machine_patch_policies')
    .values({
      agent: agent.id,
      own: JSON.stringify({ ring: { ring: 3, delay_days: 1, after_ring: false } }),
      judge_at: null,
      next_at: null,
      next_until: null,
    })
    .execute()
  const installed = known(`${name} package`, '1.0')
  await storeSoftware(ctx.db, ctx.emit, {
    reports: [{ agentId: agent.agent_id, report: reportOf([installed]) }],
    now: ctx.now(),
  })
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
      ran_at: Math.floor(Date.parse(now) / 1000),
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
      ...dates,
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
      ...dates,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const draft = { target: { by: 'site', id: site.id }, action: { type: 'maintenance', on: true } }
  const planned = {
    user_id: 0,
    username: 'ada',
    source: '',
    action: 'maintenance' as const,
    action_text: 'Switch maintenance mode on',
    draft: ctx.secrets.encrypt(JSON.stringify(draft)),
  }
  const job = await ctx.db
    .insertInto('fleet_jobs')
    .values({
      name: `${name} job`,
      state: 'halted',
      reason: null,
      ...planned,
      hash: '0123456789ab',
      matched: 1,
      planned: 1,
      wave: 1,
      waves: JSON.stringify([
        { size: 1, started_at: now, ended_at: null, gate: 'closed', gate_text: '', decided_at: null },
      ]),
      created_at: now,
      starts_at: now,
      started_at: now,
      expires_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await ctx.db
    .insertInto('fleet_job_agents')
    .values({
      job_id: job.id,
      agent_id: agent.agent_id,
      position: 0,
      hostname: agent.hostname,
      client_name: client.name,
      site_name: site.name,
      wave: 1,
      state: 'succeeded',
      text: '',
      tries: 1,
      before: JSON.stringify({ maintenance: false }),
    })
    .execute()
  const repeating = await ctx.db
    .insertInto('repeating_jobs')
    .values({
      name: `${name} repeating job`,
      ...planned,
      cron: '0 2 * * *',
      clock: 'server',
      next_at: null,
      created_at: now,
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
      command_input: ctx.secrets.encrypt('{}'),
      nonce: randomUUID(),
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
  const user = await given.user()
  const settings = { shared: 0 as const, search: name, sort: '', columns: '[]' }
  const view = await ctx.db
    .insertInto('machine_views')
    .values({
      ...settings,
      name: `${name} view`,
      user_id: user.id,
      ...dates,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const link = { name: `Link ${randomUUID()}`, description: '', pattern: 'https://example.org' }
  const urlAction = await ctx.db
    .insertInto('url_actions')
    .values({ ...link, modified: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  const webhookId = await insertWebhook(ctx, name, client.id)
  const channel = await ctx.db
    .insertInto('alert_channels')
    .values({
      name: `${name} channel`,
      settings: JSON.stringify({ kind: 'ntfy', url: 'https://ntfy.sh/alerts', token: '' }),
      rules: JSON.stringify({ enabled: false, clients: [client.id] }),
      ...dates,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const policy = await ctx.db
    .insertInto('policies')
    .values({
      name: `${name} policy`,
      description: `${name} text`,
      active: 1,
      enforced: 0,
      content: '{}',
      last_number: 0,
      version: 1,
      created_by: 'ada',
      ...dates,
      modified_by: 'ada',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await ctx.db
    .insertInto('policy_targets')
    .values({ policy_id: policy.id, level: 'client', client_id: client.id, position: 1 })
    .execute()
  const key = await ctx.db
    .insertInto('key_store')
    .values({ name: `Key ${randomUUID()}`, value: ctx.secrets.encrypt('x'), created_at: now, modified: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  const field = await ctx.db
    .insertInto('custom_fields')
    .values({
      model: 'agent',
      type: 'text',
      name: `Field ${randomUUID()}`,
      position: 0,
      options: '[]',
      required: 0,
      default_value_string: '',
      default_value_bool: 0,
      default_values_multiple: '[]',
      hide_in_ui: 0,
      hide_in_summary: 0,
      ...dates,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await ctx.db
    .insertInto('custom_field_values')
    .values({
      field_id: field.id,
      client_id: null,
      site_id: null,
      agent_id: agent.agent_id,
      value: JSON.stringify(`${name} value`),
    })
    .execute()
  const snippet = await ctx.db
    .insertInto('script_snippets')
    .values({
      name: `snippet ${randomUUID()}`.slice(0, 40),
      description: '',
      code: 'true',
      shell: 'shell',
      ...dates,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const actionId = await insertAction(ctx.db, {
    agent_id: agent.agent_id,
    action_type: 'schedreboot',
    status: 'pending',
    due: '2099-01-01T02:00:00.000Z',
    username: `${name}-user`,
    entry_time: now,
    output: '',
  })
  const remoteSessionId = randomUUID()
  await insertSession(ctx.db, {
    id: remoteSessionId,
    agent_id: agent.agent_id,
    tool: 'terminal',
    user_id: 1,
    username: `${name}-user`,
    ip_address: '127.0.0.1',
    session_digest: 'none',
    started_at: now,
  })
  return {
    name,
    clientId: client.id,
    siteId: site.id,
    agentId: agent.agent_id,
    noteId: note.pk,
    historyId: history.id,
    jobId: job.id,
    repeatingJobId: repeating.id,
    scriptId: script.id,
    versionId: version.id,
    checkId: check.id,
    taskId: task.id,
    taskRunId: run.id,
    alertId: alert.id,
    windowId: window.id,
    deploymentId: await givenDeployment(ctx, site.id, name),
    channelId: channel.id,
    policyId: policy.id,
    keyId: key.id,
    apiKeyId: (await given.apiKey(user)).id,
    invitationId: await givenInvitation(ctx, user),
    packageFileId: await givenPackageFile(ctx.db, 'shared file'),
    tagId: tag.id,
    viewId: view.id,
    urlActionId: urlAction.id,
    webhookId,
    sso: await insertSsoAccount(ctx, user.id),
    passkeyId: await insertTestPasskey(ctx, user.id),
    fieldId: field.id,
    snippetId: snippet.id,
    templateId: template.id,
    ...chain,
    remoteSessionId,
    actionId,
    patchId: patchId(agent.id, 1),
    patchVersion: patchDigest(patch),
    titleId: titleOf(installed),
    user,
  }
}

const patchReportOf = (patch: Patch): PatchReport => ({
  kind: 'patches',
  found: { hash: '0'.repeat(32), patches: [patch], left_out: 0 },
  problem: null,
})
