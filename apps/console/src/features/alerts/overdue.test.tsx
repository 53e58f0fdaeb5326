import { editAgent, getAgent, turnOnAvailability } from '@muster/contract/api/agents'
import { createSocketTicket, getDashInfo } from '@muster/contract/api/system'
import { editCoreSettings, getCoreSettings } from '@muster/contract/api/settings'
import type { DashInfo } from '@muster/contract/api/system'
import type { Me } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { givenDashInfo, givenLive } from '../../testing/test-console.tsx'
import { answer } from '../../testing/test-server.ts'
import { testDetail } from '../dashboard/test-dashboard.ts'
import { testSettings } from '../settings/test-settings.ts'
import { givenAlerts, testAlert } from './test-alerts.ts'

const button = (name: string | RegExp) => page.getByRole('button', { name })

async function givenOverdue(given: {
  servers?: number
  workstations?: number
  overdue?: number
  /** Lost, but not offline yet. */
  away?: number
  settings?: { availability_alerts_servers: boolean }
  me?: Partial<Me>
  info?: Partial<DashInfo>
  alerts?: Parameters<typeof givenAlerts>[0]
}) {
  const { servers = 0, workstations = 0 } = given
  const overdue_count = given.overdue ?? servers + workstations
  const counts = {
    total_server_count: 20,
    total_server_offline_count: overdue_count,
    total_workstation_count: 0,
    total_workstation_offline_count: 0,
    away_count: overdue_count + (given.away ?? 0),
    overdue_count,
    unalerted_server_count: servers,
    unalerted_workstation_count: workstations,
    days_until_cert_expires: null,
  }
  givenLive([{ type: 'counts', counts }])
  const { server, open } = await givenAlerts({ ...given.alerts, me: given.me ?? {} })
  server.on(createSocketTicket, () => answer(createSocketTicket, { ticket: 't', expires_in: 30 }))
  const settings = testSettings({ availability_alerts_servers: false, ...given.settings })
  server.on(getCoreSettings, () => answer(getCoreSettings, settings))
  server.on(editCoreSettings, ({ body }) => answer(editCoreSettings, { ...settings, ...Object(body) }))
  server.on(turnOnAvailability, () => answer(turnOnAvailability, { changed: 15, enforced: 0 }))
  if (given.info !== undefined) {
    server.on(getDashInfo, () => answer(getDashInfo, givenDashInfo(given.info)))
  }
  return { server, open }
}

test('the totals of the header list lost connections apart from offline machines', async () => {
  const { open } = await givenOverdue({ servers: 2, away: 3 })
  await open('/alerts')
  await page.getByRole('button', { name: '20 machines 5 offline' }).click()
  await expect.element(page.getByRole('row', { name: 'Servers 20 2' })).toBeVisible()
  await expect.element(page.getByRole('row', { name: 'Away 3' })).toBeVisible()
})

test('the alerts page says which overdue machines have no alerting, and turns it on for all servers', async () => {
  const { server, open } = await givenOverdue({ servers: 6, workstations: 9 })
  await open('/alerts')
  await expect.element(page.getByText('No open alerts. 15 overdue machines have no alerting.')).toBeVisible()
  await button('Turn on').click()
  const dialog = page.getByRole('dialog', { name: 'Turn on availability alerts' })
  await expect.element(dialog.getByRole('radio', { name: 'All servers (default setting)' })).toBeChecked()
  await expect
    .element(dialog.getByText('6 of 15 machines without alerting. Includes new servers.'))
    .toBeVisible()
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await expect.element(page.getByText('Availability alerts for servers are on.')).toBeVisible()
  expect(server.calls(editCoreSettings)[0]?.body).toEqual({ availability_alerts_servers: true })
})

test('where servers already alert, alerting is turned on for the overdue machines', async () => {
  const { server, open } = await givenOverdue({
    workstations: 15,
    settings: { availability_alerts_servers: true },
  })
  await open('/alerts')
  await button('Turn on').click()
  const dialog = page.getByRole('dialog', { name: 'Turn on availability alerts' })
  await expect.element(dialog.getByRole('radio', { name: 'Only the 15 machines overdue now' })).toBeChecked()
  await expect.element(dialog.getByText('15 workstations')).toBeVisible()
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await expect.element(page.getByText('Availability alerts are on for 15 machines.')).toBeVisible()
  expect(server.calls(turnOnAvailability)).toHaveLength(1)
})

test('a role without permission to edit gets a link to overdue machines', async () => {
  const { open } = await givenOverdue({
    servers: 1,
    me: { is_superuser: false, permissions: ['can_list_alerts', 'can_list_agents'] },
  })
  const { at } = await open('/alerts')
  await expect.element(page.getByText('No open alerts. 1 overdue machine has no alerting.')).toBeVisible()
  await expect.element(button('Turn on')).not.toBeInTheDocument()
  await button('Alerts: none open').click()
  const menu = page.getByRole('dialog', { name: /^Alerts: / })
  await expect.element(menu.getByText('No open alerts. 1 overdue machine has no alerting.')).toBeVisible()
  await menu.getByRole('link', { name: 'Show machines' }).click()
  await expect.poll(() => decodeURIComponent(at())).toContain('search=is:overdue')
})

test('overdue machines with alerting are counted while no alert is open', async () => {
  const { open } = await givenOverdue({ overdue: 2 })
  await open('/alerts')
  await expect.element(page.getByText('No open alerts. 2 machines are overdue.')).toBeVisible()
  await expect.element(page.getByRole('link', { name: 'Show machines' })).toBeVisible()
})

test('open alerts do not hide machines without alerting', async () => {
  const { open } = await givenOverdue({ servers: 2, alerts: { alerts: [testAlert()] } })
  await open('/alerts')
  await expect.element(page.getByText('2 overdue machines have no alerting.')).toBeVisible()
})

test('the alerts of an overdue machine without alerting say so and are turned on there', async () => {
  const { server, open } = await givenOverdue({})
  const silent = testDetail({ status: 'overdue', connected: false })
  server.on(getAgent, () => answer(getAgent, silent))
  server.on(editAgent, () =>
    answer(editAgent, { ...silent, availability_alerts: 'on', overdue_dashboard_alert: true }),
  )
  await open('/agents/alpha0000000?pane=alerts')
  await expect.element(page.getByText('No open alerts. alpha is overdue and has no alerting.')).toBeVisible()
  await button('Turn on').click()
  await expect.element(page.getByText('alpha has no open alerts.')).toBeVisible()
  expect(server.calls(editAgent)[0]?.body).toEqual({ availability_alerts: 'on' })
})

test('superusers are asked once about default alerts of servers', async () => {
  const { server, open } = await givenOverdue({ servers: 15, info: { ask_availability_alerts: true } })
  await open('/')
  const sentence = '15 machines are overdue without alerting. Turn on availability alerts for servers?'
  await expect.element(page.getByText(sentence)).toBeVisible()
  server.on(getDashInfo, () => answer(getDashInfo, givenDashInfo()))
  await button('Not now').click()
  await expect.element(page.getByText(sentence)).not.toBeInTheDocument()
  expect(server.calls(editCoreSettings)[0]?.body).toEqual({ availability_alerts_asked: true })
})

test('saying yes turns the alerts of servers on', async () => {
  const { server, open } = await givenOverdue({ servers: 1, info: { ask_availability_alerts: true } })
  await open('/')
  await expect.element(page.getByText(/1 machine is overdue without alerting\./)).toBeVisible()
  await button('Turn on').click()
  await expect.element(page.getByText('Availability alerts for servers are on.')).toBeVisible()
  expect(server.calls(editCoreSettings)[0]?.body).toEqual({ availability_alerts_servers: true })
})
