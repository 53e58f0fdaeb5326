import type { TestServer } from './test-server.ts'
import type { World } from './test-world.ts'

/** Every row of the hidden client, to detect changes. */
export async function readHidden({ ctx: { db } }: TestServer, hidden: World): Promise<unknown> {
  const agents = await db.selectFrom('agents').selectAll().where('agent_id', '=', hidden.agentId).execute()
  const inSite = await db
    .selectFrom('agents')
    .select('agent_id')
    .where('site_id', '=', hidden.siteId)
    .execute()
  const notes = await db
    .selectFrom('agent_notes')
    .selectAll()
    .where('agent_id', '=', hidden.agentId)
    .execute()
  const runs = await db
    .selectFrom('agent_history')
    .selectAll()
    .where('agent_id', '=', hidden.agentId)
    .execute()
  const alerts = await db.selectFrom('alerts').selectAll().where('agent_id', '=', hidden.agentId).execute()
  const checks = await db.selectFrom('checks').selectAll().where('agent_id', '=', hidden.agentId).execute()
  const results = await db
    .selectFrom('check_results')
    .selectAll()
    .where('check_id', '=', hidden.checkId)
    .execute()
  const clients = await db.selectFrom('clients').selectAll().where('id', '=', hidden.clientId).execute()
  const tags = await db.selectFrom('agent_tags').selectAll().where('agent_id', '=', hidden.agentId).execute()
  const sites = await db.selectFrom('sites').selectAll().where('client_id', '=', hidden.clientId).execute()
  const tokens = await db
    .selectFrom('enrol_tokens')
    .selectAll()
    .where('site_id', '=', hidden.siteId)
    .execute()
  const channels = await db
    .selectFrom('alert_channels')
    .selectAll()
    .where('id', '=', hidden.channelId)
    .execute()
  const policies = await db.selectFrom('policies').selectAll().where('id', '=', hidden.policyId).execute()
  const targets = await db
    .selectFrom('policy_targets')
    .selectAll()
    .where('policy_id', '=', hidden.policyId)
    .execute()
  return {
    agents,
    inSite,
    notes,
    runs,
    alerts,
    tags,
    checks,
    results,
    clients,
    sites,
    tokens,
    channels,
    policies,
    targets,
  }
}

/** Every shared row, and the user of the hidden client, whose rights exceed those of limited callers. */
export async function readShared({ ctx: { db } }: TestServer, { user }: World): Promise<unknown> {
  return {
    settings: await db
      .selectFrom('settings')
      .selectAll()
      // Lock rows of jobs are not settings.
      .where('name', 'not like', '%.lock')
      .orderBy('name')
      .execute(),
    tags: await db.selectFrom('tags').selectAll().orderBy('id').execute(),
    urlActions: await db.selectFrom('url_actions').selectAll().orderBy('id').execute(),
    webhooks: await db.selectFrom('webhooks').selectAll().orderBy('id').execute(),
    deliveries: await db.selectFrom('webhook_deliveries').selectAll().orderBy('id').execute(),
    keys: await db.selectFrom('key_store').selectAll().orderBy('id').execute(),
    fields: await db.selectFrom('custom_fields').selectAll().orderBy('id').execute(),
    scripts: await db.selectFrom('scripts').selectAll().orderBy('id').execute(),
    snippets: await db.selectFrom('script_snippets').selectAll().orderBy('id').execute(),
    templates: await db.selectFrom('alert_templates').selectAll().orderBy('id').execute(),
    onCall: await db.selectFrom('on_call_schedules').selectAll().orderBy('id').execute(),
    chains: await db.selectFrom('escalation_chains').selectAll().orderBy('id').execute(),
    users: await db.selectFrom('users').selectAll().where('id', '=', user.id).execute(),
    roles: await db
      .selectFrom('roles')
      .selectAll()
      .where('id', '=', user.roleId ?? 0)
      .execute(),
    ssoProviders: await db.selectFrom('sso_providers').selectAll().orderBy('id').execute(),
    ssoAccounts: await db.selectFrom('sso_accounts').selectAll().orderBy('id').execute(),
    passkeys: await db.selectFrom('passkeys').selectAll().orderBy('id').execute(),
    invitations: await db.selectFrom('invitations').selectAll().where('user_id', '=', user.id).execute(),
    apiKeys: await db.selectFrom('api_keys').selectAll().where('user_id', '=', user.id).execute(),
    sessions: await db.selectFrom('sessions').select('digest').where('user_id', '=', user.id).execute(),
  }
}
