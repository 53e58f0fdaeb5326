import { previewAlertTemplate, setDefaultTemplate } from '@muster/contract/api/alert-templates'
import { createAlert, listAlerts } from '@muster/contract/api/alerts'
import { describe, expect, test } from 'vitest'
import { testEngines } from '../../../platform/database/test-engines.ts'
import type { Database } from '../../../platform/database/database.ts'
import { createAlertBench } from '../channels/test-alerts.ts'
import { emailTo } from '../channels/test-smtp.ts'
import { instant } from '../test-alerts.ts'
import { prepareTemplates } from './test-templates.ts'

const EMAIL = emailTo(1)

describe.each(testEngines)('on $engine', ({ open }) => {
  test('a template says never, always and which severities, on its own machines only', async () => {
    await using database = await open<Database>()
    await using bench = await prepareTemplates(database)
    const { caller, check, ctx, go, report, machine } = bench
    const { channel } = createAlertBench(ctx)
    const mail = await channel(EMAIL, { severities: ['error'] })
    const { id } = await bench.template({
      check_always_email: true,
      check_dashboard_alert_severity: ['error'],
    })
    const other = await bench.newCheck((await bench.newMachine()).agent_id)
    await caller.call(setDefaultTemplate, { body: { alert_template: id } })
    await ctx.db
      .updateTable('alert_templates')
      .set({ exclusions: JSON.stringify({ ...NOTHING, excluded_agents: [other.agent_id] }) })
      .execute()
    go(60)
    await report(check, [20, 80])
    await report(other, [20, 80])
    const notices = await ctx.db
      .selectFrom('alert_notices')
      .innerJoin('alerts', 'alerts.id', 'alert_notices.alert_id')
      .select('alerts.agent_id')
      .where('channel_id', '=', mail.id)
      .execute()
    // The channel accepts errors only, but the template asks for mail.
    expect(notices).toEqual([{ agent_id: machine.agent_id }])
    const list = async (body: object) => (await caller.call(listAlerts, { body })).body.alerts
    // The template lists warnings without showing them in the bell.
    expect((await list({ top: 10 })).map(({ agent_id }) => agent_id)).toEqual([other.agent_id])
    expect(await list({})).toHaveLength(2)
    await report(check, [40, 95])
    expect(await list({ top: 10 })).toHaveLength(2)
  })

  test('a custom alert uses the template of its machine, its site, or the default one', async () => {
    await using database = await open<Database>()
    await using bench = await prepareTemplates(database)
    const { caller, ctx, machine, site, actions } = bench
    const { id: action } = await bench.script()
    const { id } = await bench.template({
      action_type: 'script',
      action,
      custom_dashboard_alert_severity: ['error'],
      check_script_actions: false,
    })
    const raise = async (body: object) =>
      (
        await caller.call(createAlert, {
          body: { message: 'The line is down', severity: 'error', ...body },
        })
      ).body.id
    const inBell = async () =>
      (await caller.call(listAlerts, { body: { top: 10 } })).body.alerts.map((alert) => alert.id)
    const ofNobody = await raise({})
    expect(await actions()).toEqual([])
    await ctx.db.updateTable('sites').set({ alert_template_id: id }).execute()
    const ids = [await raise({ agent: machine.agent_id }), await raise({ site: site.id })]
    const quiet = await raise({ agent: machine.agent_id, severity: 'warning' })
    expect((await actions()).map(({ alert_id }) => alert_id)).toEqual([...ids, quiet])
    await caller.call(setDefaultTemplate, { body: { alert_template: id } })
    const byDefault = await raise({})
    expect((await actions()).at(-1)?.alert_id).toBe(byDefault)
    expect((await inBell()).toSorted((a, b) => a - b)).toEqual([ofNobody, ...ids, byDefault])
    await ctx.jobs.drain()
    expect((await actions()).map(({ state, output }) => [state, output])).toEqual([
      ['running', ''],
      ['failed', 'The alert has no machine to run the script on.'],
      ['running', ''],
      ['failed', 'The alert has no machine to run the script on.'],
    ])
    const preview = await caller.call(previewAlertTemplate, {
      query: { agent: machine.agent_id, alert_type: 'custom', severity: 'warning' },
    })
    expect(preview.body).toMatchObject({
      template: { name: 'Night' },
      opens: true,
      bell: false,
      failure_action: 'The script "Clean up" on the machine',
    })
  })

  test('a machine whose template says always becomes overdue without its own setting', async () => {
    await using database = await open<Database>()
    await using bench = await prepareTemplates(database)
    const { ctx, go, sweep, alerts } = bench
    const { id } = await bench.template({ agent_always_email: true })
    const quiet = { overdue_dashboard_alert: 0, overdue_email_alert: 0 } as const
    const silent = await bench.newMachine({ ...quiet, connected: 0, alert_template_id: id })
    await bench.newMachine({ ...quiet, connected: 0 })
    await ctx.jobs.drain()
    go(3600)
    await sweep()
    expect((await alerts()).map(({ agent_id }) => agent_id)).toEqual([silent.agent_id])
  })
})

test('spec, templates: a preview shows the effective template and its origin, notifications and scripts', async () => {
  await using bench = await prepareTemplates()
  const { caller, ctx, client, site, machine } = bench
  const { channel } = createAlertBench(ctx)
  await channel(EMAIL, {}, 'Mail')
  await channel({ kind: 'slack', url: 'https://slack.example/x' }, { severities: ['error'] }, 'Chat')
  const script = await bench.script()
  const near = await bench.template({ name: 'Near', is_active: false })
  const far = await bench.template({
    name: 'Far',
    email_recipients: ['night@example.com'],
    check_periodic_alert_minutes: 15,
    check_email_on_resolved: false,
    action_type: 'script',
    action: script.id,
  })
  await ctx.db.updateTable('sites').set({ alert_template_id: near.id }).where('id', '=', site.id).execute()
  await ctx.db.updateTable('clients').set({ alert_template_id: far.id }).where('id', '=', client.id).execute()
  const ask = async (alert_type: 'check' | 'availability', severity: 'warning' | 'error') =>
    (await caller.call(previewAlertTemplate, { query: { agent: machine.agent_id, alert_type, severity } }))
      .body
  expect(await ask('check', 'warning')).toMatchObject({
    hostname: 'PC-1',
    template: { id: far.id, name: 'Far' },
    chain: [
      { source: 'site', at: 'Berlin', name: 'Near', outcome: 'inactive' },
      { source: 'client', at: 'Acme', name: 'Far', outcome: 'applies' },
    ],
    hold: null,
    opens: true,
    bell: true,
    channels: [
      { name: 'Chat', told: false, reason: 'The channel excludes this severity.' },
      {
        name: 'Mail',
        told: true,
        at: null,
        recipients: ['night@example.com'],
        on_resolved: false,
        repeat_minutes: 15,
      },
    ],
    failure_action: 'The script "Clean up" on the machine',
    resolved_action: null,
  })
  await ctx.db
    .updateTable('alert_channels')
    .set({ rules: JSON.stringify({ quiet_from: '11:00', quiet_to: '13:00', quiet_except: [] }) })
    .execute()
  const quiet = await ask('availability', 'error')
  expect(quiet.channels.map(({ at }) => at)).toEqual([instant(3600), instant(3600)])
  const missing = { agent: 'nosuchmachine', alert_type: 'check' as const, severity: 'error' as const }
  expect((await caller.call(previewAlertTemplate, { query: missing })).status).toBe(404)
})

const NOTHING = {
  exclude_workstations: false,
  exclude_servers: false,
  excluded_sites: [],
  excluded_clients: [],
  excluded_agents: [],
}

test('the preview explains suppression: all alerts in maintenance, check alerts of a silent machine', async () => {
  await using bench = await prepareTemplates()
  const { caller, go, machine, setAgent } = bench
  const holds = async () => {
    const found = []
    for (const alert_type of ['check', 'task', 'availability', 'custom'] as const) {
      const query = { agent: machine.agent_id, alert_type, severity: 'error' as const }
      found.push((await caller.call(previewAlertTemplate, { query })).body.hold)
    }
    return found
  }
  expect(await holds()).toEqual([null, null, null, null])
  await setAgent(machine.agent_id, { connected: 0 })
  go(3600)
  expect(await holds()).toEqual(['machine_down', null, null, null])
  await setAgent(machine.agent_id, { maintenance_mode: 1 })
  expect(await holds()).toEqual(['maintenance', 'maintenance', 'maintenance', 'maintenance'])
})
