import { editAgent, getAgent } from '@muster/contract/api/agents'
import {
  createAlertTemplate,
  deleteAlertTemplate,
  editAlertTemplate,
  getRelatedToTemplate,
  listAlertTemplates,
  setDefaultTemplate,
} from '@muster/contract/api/alert-templates'
import { editClient, editSite, getClient } from '@muster/contract/api/clients'
import { deleteScript } from '@muster/contract/api/scripts'
import { expect, test } from 'vitest'
import { prepareTemplates } from './test-templates.ts'

const HOOK = {
  url: 'https://hooks.example/a',
  method: 'POST' as const,
  headers: [{ name: 'Authorization', value: 'Bearer of the template' }],
  secret: 'a secret of the template',
  body_template: '',
}

test('a template is added, changed in parts, listed and deleted, with audit rows', async () => {
  await using bench = await prepareTemplates()
  const { caller, ctx } = bench
  const made = await bench.template({ check_always_email: true })
  expect(made).toMatchObject({
    name: 'Night',
    is_active: true,
    agent_always_email: null,
    check_always_email: true,
    check_email_alert_severity: [],
    action_type: null,
    applied_count: 0,
    default_template: false,
  })
  const params = { id: made.id }
  const { body } = await caller.call(editAlertTemplate, { params, body: { is_active: false } })
  expect(body).toMatchObject({ name: 'Night', is_active: false, check_always_email: true })
  const stale = await caller.call(editAlertTemplate, {
    params,
    body: { name: 'Day', modified: made.modified },
  })
  expect(stale.error.code).toBe('changed_meanwhile')
  expect((await caller.call(createAlertTemplate, { body: { name: 'Night' } })).error).toMatchObject({
    code: 'conflict',
    fields: { name: ['An alert template named "Night" already exists.'] },
  })
  await caller.call(deleteAlertTemplate, { params })
  expect((await caller.call(listAlertTemplates, {})).body).toEqual([])
  const rows = await ctx.db
    .selectFrom('audit_log')
    .select('message')
    .where('object_type', '=', 'alerttemplate')
    .orderBy('id')
    .execute()
  expect(rows.map(({ message }) => message)).toEqual([
    'Added the alert template "Night"',
    'Changed the alert template "Night"',
    'Deleted the alert template "Night"',
  ])
})

test('a template with recipients saved before the rule for addresses can be read and changed', async () => {
  await using bench = await prepareTemplates()
  const { caller, ctx } = bench
  const made = await bench.template({})
  const { settings } = await ctx.db.selectFrom('alert_templates').select('settings').executeTakeFirstOrThrow()
  const email_recipients = ["o'brien@example.com"]
  const old = JSON.stringify({ ...JSON.parse(settings), email_recipients })
  await ctx.db.updateTable('alert_templates').set({ settings: old }).execute()
  const change = { params: { id: made.id }, body: { is_active: false } }
  expect((await caller.call(editAlertTemplate, change)).body).toMatchObject({
    is_active: false,
    email_recipients,
  })
  expect((await caller.call(listAlertTemplates, {})).body).toMatchObject([{ email_recipients }])
})

test('a template is assigned to a client, a site, a machine and as the default, and deleting it clears all of them', async () => {
  await using bench = await prepareTemplates()
  const { caller, client, site, machine, ctx } = bench
  const { id } = await bench.template()
  const params = { id }
  await caller.call(editClient, { params: { id: client.id }, body: { client: { alert_template: id } } })
  await caller.call(editSite, { params: { id: site.id }, body: { site: { alert_template: id } } })
  const agent = { params: { agent_id: machine.agent_id } }
  await caller.call(editAgent, { ...agent, body: { alert_template: id } })
  await caller.call(setDefaultTemplate, { body: { alert_template: id } })
  expect((await caller.call(getRelatedToTemplate, { params })).body).toEqual({
    default_template: true,
    policies: [],
    clients: [{ id: client.id, name: 'Acme' }],
    sites: [{ id: site.id, name: 'Berlin', client_name: 'Acme' }],
    agents: [{ agent_id: machine.agent_id, hostname: 'PC-1', site_name: 'Berlin' }],
  })
  const { body: seen } = await caller.call(getClient, { params: { id: client.id } })
  expect(seen).toMatchObject({ alert_template: id, sites: [{ alert_template: id }] })
  await caller.call(deleteAlertTemplate, { params })
  expect((await caller.call(getAgent, agent)).body.alert_template).toBeNull()
  expect((await caller.call(getClient, { params: { id: client.id } })).body.alert_template).toBeNull()
  const again = await bench.template({ name: 'Another' })
  expect(again.default_template).toBe(false)
  const rows = await ctx.db.selectFrom('audit_log').select('message').orderBy('id').execute()
  expect(rows.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      'Assigned the alert template "Night" to the client "Acme"',
      'Assigned the alert template "Night" to the site "Berlin"',
      'Assigned the alert template "Night" to the machine "PC-1"',
      'Set the default alert template to "Night"',
    ]),
  )
})

test('an unknown one is refused at the field that names it', async () => {
  await using bench = await prepareTemplates()
  const { caller, client, machine } = bench
  const sentence = ['This alert template does not exist.']
  const refusals = [
    await caller.call(editClient, { params: { id: client.id }, body: { client: { alert_template: 99 } } }),
    await caller.call(editAgent, {
      params: { agent_id: machine.agent_id },
      body: { alert_template: 99 },
    }),
    await caller.call(setDefaultTemplate, { body: { alert_template: 99 } }),
  ]
  expect(refusals.map(({ error }) => error.fields)).toEqual([
    { 'client.alert_template': sentence },
    { alert_template: sentence },
    { alert_template: sentence },
  ])
})

test('secrets of a webhook are sealed, masked, kept when sent back, and never leave its address', async () => {
  await using bench = await prepareTemplates()
  const { caller, ctx } = bench
  const made = await bench.template({ action_type: 'rest', action_rest: HOOK })
  expect(made.action_rest).toMatchObject({ secret: '********', headers: [{ value: '********' }] })
  expect(made.action_name).toBe('hooks.example')
  const stored = await ctx.db.selectFrom('alert_templates').selectAll().executeTakeFirstOrThrow()
  expect(stored.settings).not.toContain('of the template')
  const params = { id: made.id }
  const kept = await caller.call(editAlertTemplate, {
    params,
    body: { action_rest: made.action_rest && { ...made.action_rest, method: 'PUT' } },
  })
  expect(kept.body.action_rest).toMatchObject({ method: 'PUT', secret: '********' })
  const moved = await caller.call(editAlertTemplate, {
    params,
    body: { action_rest: made.action_rest && { ...made.action_rest, url: 'https://thief.example/' } },
  })
  expect(moved.error.code).toBe('invalid')
  const audited = await ctx.db.selectFrom('audit_log').select(['before_value', 'after_value']).execute()
  expect(JSON.stringify(audited)).not.toContain('of the template')
})

test('an impossible action is refused, and a deleted script leaves the template without one', async () => {
  await using bench = await prepareTemplates()
  const { caller } = bench
  const refused = async (body: object) =>
    (await caller.call(createAlertTemplate, { body: { name: 'x', ...body } })).error.fields
  expect(await refused({ action_type: 'script' })).toEqual({ action: ['Choose a script.'] })
  expect(await refused({ action_type: 'script', action: 99 })).toEqual({
    action: ['This script does not exist.'],
  })
  expect(await refused({ resolved_action_type: 'rest' })).toEqual({
    resolved_action_rest: ['Enter the URL of the webhook.'],
  })
  expect(
    await refused({ action_type: 'rest', action_rest: { ...HOOK, body_template: '{{unknown}}' } }),
  ).toHaveProperty(['action_rest.body_template'])
  const script = await bench.script()
  const made = await bench.template({ action_type: 'script', action: script.id })
  expect(made.action_name).toBe('Clean up')
  await caller.call(deleteScript, { params: { id: script.id } })
  const [after] = (await caller.call(listAlertTemplates, {})).body
  expect(after).toMatchObject({ action_type: null, action: null, action_name: '' })
})

test('a user with one client does not learn where else a template is assigned', async () => {
  await using bench = await prepareTemplates()
  const { caller, client, server, given } = bench
  const { id } = await bench.template()
  const hidden = await given.client({ name: 'Hidden', alert_template_id: id })
  await given.site({ client_id: hidden.id, alert_template_id: id })
  await caller.call(editClient, { params: { id: client.id }, body: { client: { alert_template: id } } })
  const bob = await given.user({ permissions: ['can_list_alerttemplates'], clients: [client.id] })
  const { body } = await server.as(bob).call(getRelatedToTemplate, { params: { id } })
  expect(body).toEqual({
    default_template: false,
    policies: [],
    clients: [{ id: client.id, name: 'Acme' }],
    sites: [],
    agents: [],
  })
  expect((await server.as(bob).call(listAlertTemplates, {})).body[0]?.applied_count).toBe(1)
  expect((await server.as(bob).call(deleteAlertTemplate, { params: { id } })).status).toBe(403)
})

test('setting an action requires the permission to run it, and templates require access to every client', async () => {
  await using bench = await prepareTemplates()
  const { client, server, given } = bench
  const { id } = await bench.template()
  const script = await bench.script()
  const permissions = ['can_list_alerttemplates', 'can_manage_alerttemplates'] as const
  const bob = server.as(await given.user({ permissions }))
  const change = (body: object) => bob.call(editAlertTemplate, { params: { id }, body })
  expect((await change({ is_active: false })).status).toBe(200)
  expect((await change({ action_type: 'script', action: script.id })).error).toMatchObject({
    code: 'not_allowed',
    detail: expect.stringContaining('can_run_scripts'),
  })
  expect((await change({ action_type: 'rest', action_rest: HOOK })).error).toMatchObject({
    code: 'not_allowed',
    detail: expect.stringContaining('can_edit_core_settings'),
  })
  const eve = server.as(await given.user({ permissions, clients: [client.id] }))
  const refusals = [
    await eve.call(createAlertTemplate, { body: { name: 'Mine' } }),
    await eve.call(editAlertTemplate, { params: { id }, body: { name: 'Mine' } }),
    await eve.call(deleteAlertTemplate, { params: { id } }),
    await eve.call(setDefaultTemplate, { body: { alert_template: id } }),
  ]
  expect(refusals.map(({ status }) => status)).toEqual([403, 403, 403, 403])
})

test('the parameters of a script are checked, completed, and reach the run of each action', async () => {
  await using bench = await prepareTemplates()
  const { caller, ctx } = bench
  const declare = (name: string, more: object = {}) => ({
    name,
    type: 'text',
    description: '',
    required: false,
    default: '',
    choices: [],
    ...more,
  })
  const script = await bench.script()
  const setParameters = (parameters: object[]) =>
    ctx.db
      .updateTable('scripts')
      .set({ parameters: JSON.stringify(parameters) })
      .where('id', '=', script.id)
      .execute()
  await setParameters([
    declare('path', { required: true }),
    declare('days', { type: 'number', default: '30' }),
  ])
  const action = { action_type: 'script' as const, action: script.id }
  const add = (form: object) =>
    caller.call(createAlertTemplate, { body: { name: 'Night', ...action, ...form } })
  expect((await add({})).error.fields).toEqual({ 'action.parameters.path': ['path needs a value.'] })
  const wrong = ['MUSTER_PARAM_PATH=/tmp', 'MUSTER_PARAM_DAYS=ten']
  expect((await add({ action_env_vars: wrong })).error.fields).toEqual({
    'action.parameters.days': ['days needs a number, such as 10 or -0.5.'],
  })
  const resolved = await add({
    action_type: null,
    resolved_action_type: 'script',
    resolved_action: script.id,
  })
  expect(resolved.error.fields).toEqual({ 'resolved_action.parameters.path': ['path needs a value.'] })
  const given = ['A=1', 'MUSTER_PARAM_PATH=/tmp']
  const complete = ['A=1', 'MUSTER_PARAM_PATH=/tmp', 'MUSTER_PARAM_DAYS=30']
  const { body: made } = await add({
    action_env_vars: given,
    resolved_action_type: 'script',
    resolved_action: script.id,
    resolved_action_env_vars: given,
  })
  expect(made).toMatchObject({ action_env_vars: complete, resolved_action_env_vars: complete })
  await setParameters([declare('other', { required: true })])
  const params = { id: made.id }
  const renamed = await caller.call(editAlertTemplate, { params, body: { name: 'Day' } })
  expect(renamed.body).toMatchObject({ name: 'Day', action_env_vars: complete })
  const changed = await caller.call(editAlertTemplate, { params, body: { action_env_vars: ['A=2'] } })
  expect(changed.error.fields).toEqual({ 'action.parameters.other': ['other needs a value.'] })
})
