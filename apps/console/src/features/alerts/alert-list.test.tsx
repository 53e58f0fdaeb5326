import { changeAlerts, listAlerts } from '@muster/contract/api/alerts'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { refuse } from '../../testing/test-server.ts'
import { AGENT, givenAlerts, testAlert } from './test-alerts.ts'

const table = () => page.getByRole('grid', { name: 'Alerts' })
const THREE = [
  testAlert(),
  testAlert({
    id: 2,
    severity: 'warning',
    message: 'CPU load 95 %',
    hostname: 'bravo',
    state: 'acknowledged',
  }),
  testAlert({
    id: 3,
    severity: 'info',
    alert_type: 'custom',
    message: 'A delivery is late',
    agent_id: null,
    hostname: '',
    client: '',
    site: '',
    check_id: null,
  }),
]

test('each alert shows severity, state, location, type and duration', async () => {
  await (await givenAlerts({ alerts: THREE })).open('/alerts')
  for (const name of [
    /Error open Acme Berlin alpha Check Disk space of .srv.* 2 h –/,
    /Warning acknowledged Acme Berlin bravo Check CPU load 95 % 2 h –/,
    /Info open – – – Custom A delivery is late 2 h –/,
  ]) {
    await expect.element(table().getByRole('row', { name })).toBeVisible()
  }
})

test('without open alerts the list offers resolved ones', async () => {
  const { server, open } = await givenAlerts({ alerts: [testAlert({ state: 'resolved' })] })
  const { at } = await open('/alerts')
  await expect.element(page.getByText('No open alerts.')).toBeVisible()
  await page.getByRole('button', { name: 'Show resolved alerts' }).click()
  await expect.poll(at).toBe('/alerts?also=resolved')
  await expect.element(table().getByRole('row', { name: /Error resolved/ })).toBeVisible()
  expect(server.calls(listAlerts).at(-1)?.body).toMatchObject({ resolvedFilter: true, timeFilter: 30 })
})

test('the filter is in the address and the request, and its pill removes it', async () => {
  const { server, open } = await givenAlerts({ alerts: THREE })
  const { at } = await open('/alerts?severity=error,warning&type=check&clients=1&also=held&search=disk')
  await expect.element(table()).toBeInTheDocument()
  const asked = () => server.calls(listAlerts).findLast(({ body }) => !('top' in Object(body)))?.body
  expect(asked()).toMatchObject({
    severityFilter: ['warning', 'error'],
    typeFilter: ['check'],
    clientFilter: [1],
    heldFilter: true,
    search: 'disk',
  })
  await expect.element(page.getByText('Client: Acme')).toBeVisible()
  await page.getByRole('button', { name: 'Remove the filter Type' }).click()
  await expect.poll(at).not.toContain('type=')
  await expect.poll(asked).not.toHaveProperty('typeFilter')
  await page.getByRole('textbox', { name: 'Search alerts' }).fill('cpu')
  await expect.poll(at).toContain('search=cpu')
  await expect.poll(asked).toMatchObject({ search: 'cpu' })
})

test('the filter menu narrows by severity', async () => {
  const { open } = await givenAlerts({ alerts: THREE })
  const { at } = await open('/alerts')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('combobox', { name: 'Severity' }).click()
  await page.getByRole('option', { name: 'Warning' }).click()
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect.poll(at).toBe('/alerts?severity=warning')
})

test('several alerts are selected and changed at once, also by keyboard', async () => {
  const { server, open } = await givenAlerts({ alerts: THREE })
  await open('/alerts')
  await expect.element(table().getByRole('row', { name: /alpha/ })).toBeVisible()
  const grid = table().element()
  if (grid instanceof HTMLElement) grid.focus()
  await userEvent.keyboard('{ArrowDown} {ArrowDown} ')
  await expect.element(page.getByText('2 of 3 alerts selected')).toBeVisible()
  await page.getByRole('button', { name: 'Resolve', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Resolve 2 alerts' })
  await dialog.getByRole('textbox', { name: 'Note' }).fill('Cleaned up.')
  await dialog.getByRole('button', { name: 'Resolve' }).click()
  await expect.element(page.getByText('2 alerts resolved.')).toBeVisible()
  expect(server.calls(changeAlerts)[0]?.body).toEqual({
    bulk_action: 'resolve',
    alerts: [1, 2],
    note: 'Cleaned up.',
  })
  await expect.element(page.getByText('1 alert', { exact: true })).toBeVisible()
})

test('all are selected at once; acknowledged alerts are not acknowledged again', async () => {
  const { server, open } = await givenAlerts({ alerts: THREE })
  await open('/alerts')
  await page.getByRole('checkbox', { name: 'Select all listed alerts' }).click()
  await page.getByRole('button', { name: 'Acknowledge', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click()
  await expect.element(page.getByText('2 alerts acknowledged.')).toBeVisible()
  expect(server.calls(changeAlerts)[0]?.body).toEqual({ bulk_action: 'acknowledge', alerts: [1, 3] })
})

test('a click and Enter open the alert, the checkbox only selects it', async () => {
  const { open } = await givenAlerts({ alerts: THREE })
  const { at } = await open('/alerts')
  await page.getByRole('checkbox', { name: 'Select CPU load 95 %' }).click()
  expect(at()).toBe('/alerts')
  await table().getByRole('row', { name: /bravo/ }).click()
  await expect.poll(at).toBe('/alerts?dialog=alert&item=2')
})

test('the menu of an alert depends on its state', async () => {
  const { open } = await givenAlerts({ alerts: [testAlert({ state: 'snoozed' })] })
  await open('/alerts?also=snoozed')
  await table().getByRole('row', { name: /alpha/ }).click({ button: 'right' })
  await expect.element(page.getByRole('menuitem', { name: 'End snooze' })).toBeVisible()
  const items = page
    .getByRole('menuitem')
    .elements()
    .map((item) => item.textContent)
  expect(items).toContain('Acknowledge …')
  expect(items).not.toContain('Remove acknowledgement')
})

test('suppressed alerts show the reason', async () => {
  const { open } = await givenAlerts({ alerts: [testAlert({ hold: 'maintenance' })] })
  await open('/alerts?also=held')
  await expect.element(table().getByRole('row', { name: /open · suppressed: maintenance/ })).toBeVisible()
})

test('a read-only role can select nothing', async () => {
  const { open } = await givenAlerts({
    alerts: THREE,
    me: { is_superuser: false, permissions: ['can_list_alerts'] },
  })
  await open('/alerts')
  await expect.element(table().getByRole('row', { name: /alpha/ })).toBeVisible()
  expect(page.getByRole('checkbox', { name: /^Select/ }).elements()).toHaveLength(0)
})

test('a role without permission sees the refusal instead of alerts', async () => {
  const { open } = await givenAlerts({ me: { is_superuser: false, permissions: ['can_list_agents'] } })
  await open('/alerts')
  await expect.element(page.getByText('Your role does not allow you to see alerts.')).toBeVisible()
})

test('a failing server shows the error and a retry button', async () => {
  const { server, open } = await givenAlerts()
  server.on(listAlerts, () => refuse('invalid', 'The alerts cannot be read.'))
  await open('/alerts')
  await expect.element(page.getByText('The alerts cannot be read.')).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Try again' })).toBeVisible()
})

test('in a narrow window each alert is a card', async () => {
  const { open } = await givenAlerts({ alerts: THREE })
  await page.viewport(390, 844)
  await open('/alerts')
  await expect.element(table().getByText('Acme › Berlin › alpha')).toBeVisible()
  const root = document.documentElement
  expect(root.scrollWidth).toBeLessThanOrEqual(root.clientWidth)
})

test('a machine shows its own alerts, including suppressed ones', async () => {
  const { server, open } = await givenAlerts({
    alerts: [testAlert(), testAlert({ id: 4, state: 'snoozed' })],
  })
  await open(`/agents/${AGENT}?pane=alerts`)
  await expect.element(table().getByRole('row', { name: /Error snoozed/ })).toBeVisible()
  expect(server.calls(listAlerts).at(-1)?.body).toMatchObject({
    agentFilter: [AGENT],
    snoozedFilter: true,
    heldFilter: true,
  })
})
