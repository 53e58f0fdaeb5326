import { createInstaller, editAgent, getAgent, turnOnAvailability } from '@muster/contract/api/agents'
import { listAlerts } from '@muster/contract/api/alerts'
import { setOwnSettings } from '@muster/contract/api/policies'
import { getDashInfo } from '@muster/contract/api/system'
import { enrolAgent } from '@muster/contract/api/installers'
import { editCoreSettings } from '@muster/contract/api/settings'
import type { MonitoringType } from '@muster/contract/fields'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { testEngines } from '../../platform/database/test-engines.ts'
import type { Database } from '../../platform/database/database.ts'
import { instant, prepareAlerts } from '../alerts/test-alerts.ts'
import { contentOf, prepareFleet } from '../policies/test-policies.ts'
import { openConsole } from '../live/test-console.ts'
import { enrolBody } from './test-agent.ts'

const hour = 3600
const gone = { connected: 0, last_seen: instant(0), overdue_time: 30 } as const

test.each(testEngines)(
  '$engine: an overdue server raises an alert without any setup, a workstation does not',
  async ({ open }) => {
    await using fixture = await prepareAlerts(await open<Database>())
    const { server, given } = fixture
    const root = server.as(await given.user({ superuser: true }))
    const site = await given.site()
    const enrol = async (agenttype: MonitoringType) => {
      const { body } = await root.call(createInstaller, {
        body: { client: site.client_id, site: site.id, agenttype, plat: 'linux' },
      })
      const enrolled = await server.anonymous.call(enrolAgent, { body: enrolBody(body.token).body })
      const { agent_id } = enrolled.body
      await server.ctx.db.updateTable('agents').set(gone).where('agent_id', '=', agent_id).execute()
      return agent_id
    }
    const dead = await enrol('server')
    await enrol('workstation')
    fixture.go(hour)
    await fixture.sweep()
    const { body } = await root.call(listAlerts, { body: { top: 10 } })
    expect(body.alerts).toMatchObject([
      { alert_type: 'availability', severity: 'error', agent_id: dead, state: 'open' },
    ])
    // The default sends no e-mail.
    expect(await fixture.notified()).toEqual([])
  },
)

test.each(testEngines)(
  '$engine: global defaults apply to each machine until it or its policy overrides them',
  async ({ open }) => {
    await using fleet = await prepareFleet(await open<Database>())
    const { root, srv, pc, add, edit, server } = fleet
    const third = await server.given.agent({ site_id: fleet.site.id, monitoring_type: 'server' })
    const alertOf = async (agentId: string) => {
      const { body } = await root.call(getAgent, { params: { agent_id: agentId } })
      return [body.availability_alerts, body.overdue_dashboard_alert]
    }
    const put = (agentId: string, body: object) =>
      root.call(editAgent, { params: { agent_id: agentId }, body })
    expect(await alertOf(srv.agent_id)).toEqual(['default', true])
    expect(await alertOf(pc.agent_id)).toEqual(['default', false])

    // One server has its own setting, by the field that other consoles use.
    await put(srv.agent_id, { overdue_dashboard_alert: true })
    expect(await alertOf(srv.agent_id)).toEqual(['default', true])
    await put(srv.agent_id, { overdue_dashboard_alert: false })
    expect(await alertOf(srv.agent_id)).toEqual(['off', false])
    await root.call(editCoreSettings, {
      body: { availability_alerts_servers: false, availability_alerts_workstations: true },
    })
    expect(await alertOf(third.agent_id)).toEqual(['default', false])
    expect(await alertOf(pc.agent_id)).toEqual(['default', true])
    await root.call(editCoreSettings, { body: { availability_alerts_servers: true } })
    expect(await alertOf(srv.agent_id)).toEqual(['off', false])
    expect(await alertOf(third.agent_id)).toEqual(['default', true])

    // A policy overrides the default, and the machine overrides its policy.
    const policy = await add({
      name: 'Quiet',
      targets: [{ level: 'default', monitoring_type: null }],
      content: contentOf([], { overdue_dashboard_alert: false }),
    })
    expect(await alertOf(third.agent_id)).toEqual(['default', false])
    expect((await put(third.agent_id, { availability_alerts: 'on' })).body).toMatchObject({
      availability_alerts: 'on',
      overdue_dashboard_alert: true,
    })
    await fleet.settle()
    expect(await alertOf(third.agent_id)).toEqual(['on', true])
    expect((await put(third.agent_id, { availability_alerts: 'default' })).body).toMatchObject({
      availability_alerts: 'default',
      overdue_dashboard_alert: false,
    })
    // An enforced policy cannot be overridden.
    await edit(policy.id, { enforced: true })
    expect(await alertOf(srv.agent_id)).toEqual(['off', false])
    expect(await put(third.agent_id, { availability_alerts: 'on' })).toMatchObject({ status: 409 })
    await edit(policy.id, { active: false })
    expect(await alertOf(third.agent_id)).toEqual(['default', true])
    expect(await alertOf(srv.agent_id)).toEqual(['off', false])

    const { body } = await root.call(setOwnSettings, {
      params: { agent_id: srv.agent_id },
      body: { overdue_dashboard_alert: null },
    })
    expect(body.items.filter(({ kind }) => kind === 'agent_settings')).toEqual([])
    expect(await alertOf(srv.agent_id)).toEqual(['default', true])
    // Another type has another default.
    await put(pc.agent_id, { monitoring_type: 'server' })
    await root.call(editCoreSettings, { body: { availability_alerts_workstations: false } })
    expect(await alertOf(pc.agent_id)).toEqual(['default', true])
    await put(pc.agent_id, { monitoring_type: 'workstation' })
    expect(await alertOf(pc.agent_id)).toEqual(['default', false])
  },
)

test('after an update superusers are asked once, together, whether servers should alert', async () => {
  await using fleet = await prepareFleet()
  const { root, server, srv } = fleet
  const { ctx, given } = server
  const other = server.as(await given.user({ superuser: true }))
  const keeper = server.as(
    await given.user({ permissions: ['can_view_core_settings', 'can_edit_core_settings'] }),
  )
  const asked = async (caller: typeof root) =>
    (await caller.call(getDashInfo, {})).body.ask_availability_alerts
  expect(await asked(root)).toBe(false)
  const leaveOpen = (value: object) =>
    ctx.db
      .insertInto('settings')
      .values({ name: 'core_settings', value: JSON.stringify(value) })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: JSON.stringify(value) }))
      .execute()
  const unasked = { availability_alerts_servers: false, availability_alerts_asked: false }
  await leaveOpen(unasked)
  expect([await asked(root), await asked(other), await asked(keeper)]).toEqual([true, true, false])
  const refused = await keeper.call(editCoreSettings, { body: { availability_alerts_asked: true } })
  expect(refused).toMatchObject({ status: 403, error: { code: 'not_allowed' } })
  // Declined: the question does not return, and nothing changes.
  await root.call(editCoreSettings, { body: { availability_alerts_asked: true } })
  expect([await asked(root), await asked(other)]).toEqual([false, false])
  await leaveOpen(unasked)
  await ctx.db.updateTable('agents').set({ overdue_dashboard_alert: 0 }).execute()
  await root.call(editCoreSettings, { body: { availability_alerts_servers: true } })
  expect(await asked(other)).toBe(false)
  const { body } = await root.call(getAgent, { params: { agent_id: srv.agent_id } })
  expect(body.overdue_dashboard_alert).toBe(true)
})

test.each(testEngines)(
  '$engine: overdue machines without alerting are counted and turned on, except those in maintenance',
  async ({ open }) => {
    await using fixture = await prepareAlerts(await open<Database>())
    const { server, given } = fixture
    const { url } = await server.listen()
    const mine = await given.site()
    const silent = { ...gone, overdue_dashboard_alert: 0 } as const
    const one = await given.agent({ ...silent, site_id: mine.id })
    const two = await given.agent({ ...silent, site_id: mine.id, monitoring_type: 'server' })
    await given.agent({ ...silent, site_id: mine.id, maintenance_mode: 1 })
    await given.agent({ ...gone, site_id: mine.id, overdue_dashboard_alert: 1 })
    const hidden = await given.agent(silent)
    fixture.go(hour)
    const user = await given.user({ permissions: PERMISSIONS, clients: [mine.client_id] })
    using console = await openConsole(server, url, user)
    expect((await console.next('counts')).counts).toMatchObject({
      overdue_count: 3,
      unalerted_server_count: 1,
      unalerted_workstation_count: 1,
    })
    const { body } = await server.as(user).call(turnOnAvailability, {})
    expect(body).toEqual({ changed: 2, enforced: 0 })
    await console.next('counts', ({ counts }) => counts.unalerted_server_count === 0)
    await fixture.sweep()
    const alerting = (await fixture.alerts()).map(({ agent_id }) => agent_id)
    expect(alerting).toEqual(expect.arrayContaining([one.agent_id, two.agent_id]))
    expect(alerting).not.toContain(hidden.agent_id)
    const detail = await server.as(user).call(getAgent, { params: { agent_id: one.agent_id } })
    expect(detail.body.availability_alerts).toBe('on')
    const reader = server.as(await given.user({ permissions: ['can_list_agents'] }))
    expect(await reader.call(turnOnAvailability, {})).toMatchObject({ status: 403 })
  },
)

test('machines silenced by an enforced policy stay silent and are reported', async () => {
  await using fleet = await prepareFleet()
  const { server, root, srv, add } = fleet
  await add({
    name: 'Quiet',
    enforced: true,
    targets: [{ level: 'default', monitoring_type: null }],
    content: contentOf([], { overdue_dashboard_alert: false }),
  })
  await server.ctx.db
    .updateTable('agents')
    .set({ connected: 0, last_seen: '2020-01-01T00:00:00.000Z' })
    .where('agent_id', '=', srv.agent_id)
    .execute()
  expect((await root.call(turnOnAvailability, {})).body).toEqual({ changed: 0, enforced: 1 })
})
