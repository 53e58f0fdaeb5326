import { changeAlerts, countAlerts, listAlerts } from '@muster/contract/api/alerts'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { queryKey } from '../../app/api/query-key.ts'
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

test('the tab of the browser counts the open alerts', async () => {
  const { open } = await givenAlerts({ alerts: THREE })
  await open('/alerts?view=list')
  await expect.poll(() => document.title).toBe('(2) Alerts | Muster')
})

test('each alert shows severity, state, location, type and duration', async () => {
  await (await givenAlerts({ alerts: THREE })).open('/alerts?view=list')
  for (const name of [
    /Error open Acme Berlin alpha Check Disk space of .srv.* 2 h/,
    /Warning acknowledged Acme Berlin bravo Check CPU load 95 % 2 h/,
    /Info open – – – Custom A delivery is late 2 h/,
  ]) {
    await expect.element(table().getByRole('row', { name })).toBeVisible()
  }
})

test('without open alerts the list offers resolved ones', async () => {
  const { server, open } = await givenAlerts({ alerts: [testAlert({ state: 'resolved' })] })
  const { at } = await open('/alerts')
  await expect.element(page.getByText('No open alerts.')).toBeVisible()
  await page.getByRole('button', { name: 'Show resolved alerts' }).click()
  await expect.poll(at).toBe('/alerts?state=resolved')
  await expect.element(table().getByRole('row', { name: /Error resolved/ })).toBeVisible()
  expect(server.calls(listAlerts).at(-1)?.body).toMatchObject({ stateFilter: 'resolved', timeFilter: 30 })
})

test('the filter is in the address and the request, and its pill removes it', async () => {
  const { server, open } = await givenAlerts({ alerts: THREE })
  const { at } = await open(
    '/alerts?view=list&severity=error,warning&type=check&clients=1&state=suppressed&search=disk',
  )
  await expect.element(table()).toBeInTheDocument()
  const asked = () => server.calls(listAlerts).findLast(({ body }) => !('top' in Object(body)))?.body
  expect(asked()).toMatchObject({
    severityFilter: ['warning', 'error'],
    typeFilter: ['check'],
    clientFilter: [1],
    stateFilter: 'suppressed',
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

test('each state has a live count of the filtered alerts, and is part of the address', async () => {
  const { server, state, open } = await givenAlerts({
    alerts: [
      testAlert(),
      testAlert({ id: 2, state: 'acknowledged', hostname: 'bravo' }),
      testAlert({ id: 3, hold: 'maintenance', hostname: 'charlie' }),
      testAlert({ id: 4, state: 'resolved', hostname: 'delta' }),
    ],
  })
  const { at, queryClient } = await open('/alerts?view=list&severity=error')
  const tab = (name: string) => page.getByRole('radio', { name })
  for (const name of ['Open 2', 'Acknowledged 1', 'Snoozed 0', 'Suppressed 1', 'Resolved 1', 'All 4'])
    await expect.element(tab(name)).toBeInTheDocument()
  await expect.element(tab('Open 2')).toBeChecked()
  expect(server.calls(countAlerts).at(-1)?.body).toEqual({ severityFilter: ['error'], timeFilter: 30 })
  await page.getByText(/^Acknowledged 1$/).click()
  await expect.poll(at).toBe('/alerts?view=list&severity=error&state=acknowledged')
  await expect.element(table().getByRole('row', { name: /bravo/ })).toBeVisible()
  await expect.element(table().getByRole('row', { name: /alpha/ })).not.toBeInTheDocument()
  state.alerts = state.alerts.slice(2)
  await queryClient.invalidateQueries({ queryKey: queryKey(countAlerts) })
  await expect.element(tab('Acknowledged 0')).toBeChecked()
  await page.getByText(/^All 2$/).click()
  await expect.element(table().getByRole('row', { name: /charlie/ })).toBeVisible()
  await expect.element(table().getByRole('row', { name: /delta/ })).toBeVisible()
})

test('a state without alerts says so and leads back to the open ones', async () => {
  const { open } = await givenAlerts({ alerts: [testAlert()] })
  const { at } = await open('/alerts?state=snoozed')
  await expect.element(page.getByText('No snoozed alerts.')).toBeVisible()
  await page.getByRole('button', { name: 'Show open alerts' }).click()
  // A wide window opens the worst cause.
  await expect.poll(at).toMatch(/^\/alerts(?:\?group=[^&]+)?$/)
})

test('the filter menu narrows by severity', async () => {
  const { open } = await givenAlerts({ alerts: THREE })
  const { at } = await open('/alerts?view=list')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('combobox', { name: 'Severity' }).click()
  await page.getByRole('option', { name: 'Warning' }).click()
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect.poll(at).toBe('/alerts?view=list&severity=warning')
})

test('several alerts are selected and changed at once, also by keyboard', async () => {
  const { server, open } = await givenAlerts({ alerts: THREE })
  await open('/alerts?view=list')
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
  await open('/alerts?view=list')
  await page.getByRole('checkbox', { name: 'Select all listed alerts' }).click()
  await page.getByRole('button', { name: 'Acknowledge', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click()
  await expect.element(page.getByText('2 alerts acknowledged.')).toBeVisible()
  expect(server.calls(changeAlerts)[0]?.body).toEqual({ bulk_action: 'acknowledge', alerts: [1, 3] })
})

test('a click and Enter open the alert, the checkbox only selects it', async () => {
  const { open } = await givenAlerts({ alerts: THREE })
  const { at } = await open('/alerts?view=list')
  await page.getByRole('checkbox', { name: 'Select CPU load 95 %' }).click()
  expect(at()).toBe('/alerts?view=list')
  await table().getByRole('row', { name: /bravo/ }).click()
  await expect.poll(at).toBe('/alerts?view=list&dialog=alert&item=2')
})

test('the menu of an alert depends on its state', async () => {
  const { open } = await givenAlerts({ alerts: [testAlert({ state: 'snoozed' })] })
  await open('/alerts?view=list&state=snoozed')
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
  await open('/alerts?view=list&state=suppressed')
  await expect.element(table().getByRole('row', { name: /open · suppressed: maintenance/ })).toBeVisible()
})

test('a read-only role can select nothing', async () => {
  const { open } = await givenAlerts({
    alerts: THREE,
    me: { is_superuser: false, permissions: ['can_list_alerts'] },
  })
  await open('/alerts?view=list')
  await expect.element(table().getByRole('row', { name: /alpha/ })).toBeVisible()
  expect(page.getByRole('checkbox', { name: /^Select/ }).elements()).toHaveLength(0)
})

test('a role without permission sees the refusal instead of alerts', async () => {
  const { open } = await givenAlerts({ me: { is_superuser: false, permissions: ['can_list_agents'] } })
  await open('/alerts?view=list')
  await expect.element(page.getByText('Your role does not allow you to see alerts.')).toBeVisible()
})

test('a failing server shows the error and a retry button', async () => {
  const { server, open } = await givenAlerts()
  server.on(listAlerts, () => refuse('invalid', 'The alerts cannot be read.'))
  await open('/alerts?view=list')
  await expect.element(page.getByText('The alerts cannot be read.')).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Try again' })).toBeVisible()
})

test('the time of the end has a column only where alerts have ended', async () => {
  const { open } = await givenAlerts({ alerts: THREE })
  await open('/alerts?view=list')
  await expect.element(table().getByRole('columnheader', { name: 'Duration' })).toBeVisible()
  await expect.element(table().getByRole('columnheader', { name: 'Resolved' })).not.toBeInTheDocument()
  await page.getByText(/^All 3$/).click()
  await expect.element(table().getByRole('columnheader', { name: 'Resolved' })).toBeVisible()
})

test('in a narrow window each alert is a card', async () => {
  const { open } = await givenAlerts({ alerts: THREE })
  await page.viewport(390, 844)
  await open('/alerts?view=list')
  await expect.element(table().getByText('alpha Acme › Berlin')).toBeVisible()
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
    stateFilter: 'all',
  })
  expect(server.calls(countAlerts).at(-1)?.body).toEqual({ agentFilter: [AGENT], timeFilter: 30 })
  await page
    .getByText(/^Resolved/)
    .first()
    .click()
  await expect.element(page.getByText('No resolved alerts in the selected time range.')).toBeVisible()
})
