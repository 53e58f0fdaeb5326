import {
  createAlertTemplate,
  previewAlertTemplate,
  setDefaultTemplate,
} from '@muster/contract/api/alert-templates'
import { createAlert, getAlert } from '@muster/contract/api/alerts'
import { getDashInfo } from '@muster/contract/api/system'
import { editCoreSettings } from '@muster/contract/api/settings'
import { expect, test } from 'vitest'
import { createTestServer } from '../../../testing/test-server.ts'
import { runAction } from './run-action.ts'

async function prepare(setting: 'on' | 'off') {
  const server = await createTestServer()
  const { given, ctx } = server
  const caller = server.as(await given.user({ username: 'ada', superuser: true }))
  await caller.call(editCoreSettings, { body: { enable_server_scripts: setting === 'on' } })
  const script = await given.script({ name: 'Page', shell: 'shell' })
  await ctx.db
    .updateTable('scripts')
    .set({ script_body: '#!/bin/sh\necho "$1: $MUSTER_ALERT_MESSAGE"\n' })
    .execute()
  const body = {
    name: 'Night',
    action_type: 'server' as const,
    action: script.id,
    action_args: ['{{alert.severity}}'],
  }
  const raise = async () =>
    (await caller.call(createAlert, { body: { message: 'The line is down', severity: 'error' } })).body.id
  return {
    server,
    ctx,
    given,
    caller,
    script,
    body,
    raise,
    actionsOf: async (id: number) => (await caller.call(getAlert, { params: { id } })).body.actions,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('spec, templates: if enabled, a script runs once on the server, with an audit row', async () => {
  await using bench = await prepare('on')
  const { ctx, caller, body, raise, actionsOf } = bench
  expect((await caller.call(getDashInfo, {})).body.server_scripts_enabled).toBe(true)
  const { id: template } = (await caller.call(createAlertTemplate, { body })).body
  await caller.call(setDefaultTemplate, { body: { alert_template: template } })
  const id = await raise()
  await ctx.jobs.drain()
  expect(await actionsOf(id)).toMatchObject([
    { kind: 'failure', name: 'Page', state: 'done', retcode: 0, output: 'error: The line is down\n' },
  ])
  const audit = await ctx.db.selectFrom('audit_log').select(['username', 'message']).orderBy('id').execute()
  expect(audit.at(-1)).toEqual({
    username: 'server',
    message: 'Ran the script "Page" on the server for the alert "The line is down"',
  })
  await runAction(ctx, { deliver: async () => false }, { id: 1, signal: new AbortController().signal })
  expect(await actionsOf(id)).toMatchObject([{ state: 'done' }])
})

test('a script cut off by a crash of the server is not run again', async () => {
  await using bench = await prepare('on')
  const { ctx, caller, body, raise, actionsOf } = bench
  const { id: template } = (await caller.call(createAlertTemplate, { body })).body
  await caller.call(setDefaultTemplate, { body: { alert_template: template } })
  const id = await raise()
  await ctx.db.updateTable('alert_actions').set({ state: 'running' }).execute()
  await ctx.jobs.drain()
  expect(await actionsOf(id)).toMatchObject([
    { state: 'failed', output: 'The server stopped while the script ran. It is not run again.' },
  ])
})

test('if disabled, new server scripts are refused and existing ones fail with a reason', async () => {
  await using bench = await prepare('off')
  const { ctx, caller, given, body, raise, actionsOf } = bench
  expect((await caller.call(getDashInfo, {})).body.server_scripts_enabled).toBe(false)
  expect(await caller.call(createAlertTemplate, { body })).toMatchObject({
    status: 403,
    error: {
      detail:
        'Scripts on the server are switched off. A superuser can switch them on in the global settings.',
    },
  })
  const { id } = (await caller.call(createAlertTemplate, { body: { ...body, action_type: 'script' } })).body
  const { settings } = await ctx.db.selectFrom('alert_templates').selectAll().executeTakeFirstOrThrow()
  const stored = JSON.stringify({ ...(JSON.parse(settings) as object), action_type: 'server' })
  await ctx.db.updateTable('alert_templates').set({ settings: stored }).execute()
  await caller.call(setDefaultTemplate, { body: { alert_template: id } })
  const alert = await raise()
  await ctx.jobs.drain()
  expect(await actionsOf(alert)).toMatchObject([
    { state: 'failed', output: 'Scripts on the server are switched off.' },
  ])
  const agent = await given.agent()
  const query = { agent: agent.agent_id, alert_type: 'custom' as const, severity: 'error' as const }
  expect((await caller.call(previewAlertTemplate, { query })).body.failure_action).toBe(
    'The script "Page" on the server, where scripts are switched off',
  )
})

test('it requires its own permission', async () => {
  await using bench = await prepare('on')
  const { server, given, body } = bench
  const permissions = ['can_manage_alerttemplates', 'can_list_alerttemplates', 'can_run_scripts'] as const
  const call = server.as(await given.user({ permissions: [...permissions] }))
  expect(await call.call(createAlertTemplate, { body })).toMatchObject({
    status: 403,
    error: {
      detail:
        'This alert template runs a script on the server. Your role needs can_run_server_scripts to configure it.',
    },
  })
})
