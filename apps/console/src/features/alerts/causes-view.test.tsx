import {
  type AlertSuggestion,
  changeAlert,
  changeAlerts,
  getAlertSuggestion,
  listAlertCauses,
  listAlerts,
} from '@muster/contract/api/alerts'
import { getCheck, getCheckSamples } from '@muster/contract/api/checks'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { queryKey } from '../../app/api/query-key.ts'
import { answer } from '../../testing/test-server.ts'
import { testCheck, testSamples } from '../checks/test-checks.ts'
import { AGENT, givenAlerts, testAlert } from './test-alerts.ts'

const DISK = 'Disk space of /srv'
const KEY = `check:error:${DISK}`
const THREE = [
  testAlert({ message: `${DISK}: 5 % free` }),
  testAlert({ id: 2, message: `${DISK}: 3 % free`, hostname: 'bravo', agent_id: 'bravo0000000' }),
  testAlert({
    id: 3,
    severity: 'warning',
    message: 'CPU load: 80 % in use',
    state: 'acknowledged',
    acknowledged_by: 'mina',
  }),
]

async function openCauses(at = '/alerts', given: Parameters<typeof givenAlerts>[0] = { alerts: THREE }) {
  const fixture = await givenAlerts(given)
  const check = testCheck(
    { id: 7, policy: 4, policy_name: 'Servers' },
    { status: 'failing', alert_severity: 'error', more_info: '95 % in use' },
  )
  fixture.server.on(getCheck, () => answer(getCheck, check))
  fixture.server.on(getCheckSamples, () => answer(getCheckSamples, testSamples([80, 92, 95])))
  return { ...fixture, ...(await fixture.open(at)) }
}

const causes = () => page.getByRole('list', { name: 'Causes' })
const cause = (name: string | RegExp) => causes().getByRole('button', { name, expanded: false })
const openedCause = (name: string | RegExp) => causes().getByRole('button', { name, expanded: true })
const panel = () => page.getByRole('article')
const title = (name: RegExp) => panel().getByRole('heading', { level: 2, name })

test('causes are one line each: machines, location, and who has acknowledged them', async () => {
  await openCauses()
  await expect.element(openedCause(/Error Disk space of .srv Acme 2 machines, \d+ min/)).toBeVisible()
  await expect.element(cause(/Warning CPU load .*Acknowledged by mina/)).toBeVisible()
  await expect.element(page.getByText('3 alerts, 2 causes')).toBeVisible()
})

test('the worst cause opens automatically and stays closed once it is closed', async () => {
  const { at } = await openCauses()
  await expect.poll(at).toContain('/alerts?group=check:error:Disk')
  await expect.element(title(/alpha/)).toBeVisible()
  expect(panel().element().contains(document.activeElement)).toBe(false)
  await openedCause(/Disk/).click()
  await expect.element(page.getByText('Choose a cause to see its alerts.')).toBeVisible()
  await expect.element(cause(/Disk/)).toBeVisible()
  await cause(/CPU/).click()
  await expect.poll(at).toContain('group=check:warning:CPU')
})

test('in a narrow window no cause opens automatically', async () => {
  const { open } = await givenAlerts({ alerts: THREE })
  await page.viewport(390, 844)
  const { at } = await open('/alerts')
  await expect.element(cause(/Disk/)).toBeVisible()
  expect(at()).toBe('/alerts')
})

test('a cause opens to its machines, and its first alert has its threshold, curve and policy', async () => {
  const { at } = await openCauses('/alerts?group=check:warning:CPU load')
  await cause(/Disk/).click()
  await expect.poll(at).toContain('/alerts?group=check:error:Disk')
  await expect.element(causes().getByRole('button', { name: /^bravo.*3 % free.*2 h/ })).toBeVisible()
  await expect.element(title(/alpha ?Disk space of .srv: 5 % free/)).toBeVisible()
  await expect.element(panel().getByText('now 95 % in use; fails above 90 %')).toBeVisible()
  await expect.element(panel().getByRole('link', { name: 'Servers' })).toBeVisible()
  await expect.element(panel().getByRole('slider', { name: /CPU load/ })).toBeVisible()
  await expect
    .element(panel().getByRole('region', { name: 'Notifications' }).getByText('Notified: Mail to the team'))
    .toBeVisible()
  await causes()
    .getByRole('button', { name: /^bravo/ })
    .click()
  await expect.poll(at).toContain('alert=2')
  await expect.element(title(/bravo/)).toBeVisible()
})

test('the link of one alert opens its group, and one more click acknowledges it', async () => {
  const { server } = await openCauses('/alerts?alert=2')
  await expect.element(causes().getByRole('button', { name: /^bravo/ })).toBeVisible()
  await panel().getByRole('button', { name: 'Acknowledge' }).click()
  await expect.element(page.getByText('Alert acknowledged.')).toBeVisible()
  expect(server.calls(changeAlert).map(({ path, body }) => [path.includes('/alerts/2/'), body])).toEqual([
    [true, { type: 'acknowledge' }],
  ])
  await expect.element(panel().getByText('acknowledged by ada')).toBeVisible()
})

test('a whole cause is acknowledged in one request, with the filter of the page', async () => {
  const { server } = await openCauses(`/alerts?group=${KEY}&clients=1`)
  await page.getByRole('button', { name: 'Acknowledge all 2' }).click()
  await expect.element(page.getByText('2 alerts acknowledged.')).toBeVisible()
  expect(server.calls(changeAlerts).map(({ body }) => body)).toEqual([
    { bulk_action: 'acknowledge', group: { clientFilter: [1], stateFilter: 'open', cause: KEY } },
  ])
})

test('a whole cause is resolved after a question that names it', async () => {
  const { server } = await openCauses(`/alerts?group=${KEY}`)
  await page.getByRole('button', { name: 'Resolve all 2 …' }).click()
  const dialog = page.getByRole('dialog', { name: 'Resolve 2 alerts' })
  await expect.element(dialog.getByText(DISK)).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Note' }).fill('Cleaned up.')
  await dialog.getByRole('button', { name: 'Resolve' }).click()
  await expect.element(page.getByText('2 alerts resolved.')).toBeVisible()
  expect(server.calls(changeAlerts)[0]?.body).toMatchObject({ note: 'Cleaned up.', group: { cause: KEY } })
  // The chosen alert stays until another one is chosen.
  await expect
    .element(
      panel()
        .getByText(/^resolved/)
        .first(),
    )
    .toBeVisible()
  await expect.element(cause(/CPU/)).toBeVisible()
})

test('only the checked machines are acknowledged', async () => {
  const { server } = await openCauses(`/alerts?group=${KEY}`)
  await page.getByRole('checkbox', { name: 'Select bravo' }).click()
  await page.getByRole('button', { name: 'Acknowledge 1 checked' }).click()
  await expect.element(page.getByText('Alert acknowledged.')).toBeVisible()
  expect(server.calls(changeAlert)[0]?.path).toContain('/alerts/2/')
})

test('arrow keys move through causes and machines, letters act, Enter opens the machine', async () => {
  const { server, at } = await openCauses('/alerts?group=check:warning:CPU load')
  const first = cause(/Disk/)
  await expect.element(first).toBeVisible()
  const element = first.element()
  if (element instanceof HTMLElement) element.focus()
  await userEvent.keyboard('{ArrowRight}')
  await expect.element(causes().getByRole('button', { name: /^bravo/ })).toBeVisible()
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  await expect.poll(at).toContain('alert=2')
  await expect.element(title(/bravo/)).toBeVisible()
  await userEvent.keyboard('s')
  await expect.element(page.getByRole('dialog', { name: 'Snooze alert' })).toBeVisible()
  await userEvent.keyboard('a{Escape}')
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  expect(server.calls(changeAlert)).toHaveLength(0)
  await userEvent.keyboard('a')
  await expect.element(page.getByText('Alert acknowledged.')).toBeVisible()
  await userEvent.keyboard('r')
  await expect.poll(at).toContain('dialog=run-script')
})

test('Enter on a machine opens its page', async () => {
  const { at } = await openCauses(`/alerts?group=${KEY}`)
  const row = causes().getByRole('button', { name: /^alpha/ })
  await expect.element(row).toBeVisible()
  const element = row.element()
  if (element instanceof HTMLElement) element.focus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(at).toContain(`/agents/${AGENT}`)
})

test('the causes keep their order while the pointer is on them, until they are sorted again', async () => {
  const { state, queryClient } = await openCauses()
  const names = () =>
    causes()
      .getByRole('button')
      .elements()
      .map(({ textContent }) => (/Disk|CPU|Backup/.exec(textContent ?? '') ?? [''])[0])
  const again = () => page.getByRole('button', { name: /sort again/ })
  const change = async (alerts: typeof state.alerts) => {
    state.alerts = alerts
    await queryClient.invalidateQueries({ queryKey: queryKey(listAlertCauses) })
  }
  await expect.element(title(/alpha/)).toBeVisible()
  await openedCause(/Disk/).click()
  await cause(/Disk/).hover()
  // A new error comes before the warning.
  await change([...state.alerts, testAlert({ id: 4, message: 'Backup: failed' })])
  await expect.poll(names).toEqual(['Disk', 'CPU', 'Backup'])
  await expect.element(again()).toHaveTextContent('1 change, sort again')
  await again().click()
  await expect.poll(names).toEqual(['Disk', 'Backup', 'CPU'])
  await expect.element(again()).not.toBeInTheDocument()
  // The pointer is elsewhere now: the list sorts itself.
  await change(state.alerts.map((alert) => (alert.id === 4 ? { ...alert, severity: 'info' } : alert)))
  await expect.poll(names).toEqual(['Disk', 'CPU', 'Backup'])
  expect(again().elements()).toHaveLength(0)
})

test('the filter and the state are in the request, and the list keeps them', async () => {
  const { server, at } = await openCauses('/alerts?severity=error&state=suppressed', {
    alerts: THREE.map((alert) => ({ ...alert, hold: 'maintenance' as const })),
  })
  await expect.element(causes()).toBeVisible()
  expect(server.calls(listAlertCauses).at(-1)?.body).toEqual({
    severityFilter: ['error'],
    stateFilter: 'suppressed',
  })
  await page.getByText('List', { exact: true }).click()
  await expect.element(page.getByRole('grid', { name: 'Alerts' })).toBeVisible()
  expect(at()).toBe('/alerts?severity=error&state=suppressed&view=list')
  expect(server.calls(listAlerts).at(-1)?.body).toMatchObject({
    severityFilter: ['error'],
    stateFilter: 'suppressed',
  })
})

test('resolved alerts are a list; Causes leads back to the open ones', async () => {
  const { at } = await openCauses('/alerts?state=resolved', {
    alerts: [...THREE, testAlert({ id: 9, state: 'resolved', hostname: 'zulu' })],
  })
  await expect.element(page.getByRole('row', { name: /zulu/ })).toBeVisible()
  await page.getByText('Causes', { exact: true }).click()
  await expect.element(openedCause(/Disk/)).toBeVisible()
  expect(at()).not.toContain('state=')
})

test('a role that only reads has no actions', async () => {
  await openCauses(`/alerts?group=${KEY}`, {
    alerts: THREE,
    me: { is_superuser: false, permissions: ['can_list_alerts'] },
  })
  await expect.element(panel().getByRole('heading', { level: 2 })).toBeVisible()
  await expect.element(causes().getByRole('button', { name: /^bravo/ })).toBeVisible()
  expect(page.getByRole('checkbox', { name: /^Select/ }).elements()).toHaveLength(0)
  expect(
    page.getByRole('button', { name: /^(Acknowledge|Snooze|Resolve|Terminal)/ }).elements(),
  ).toHaveLength(0)
})

const SUGGESTION: AlertSuggestion = {
  kind: 'script',
  name: 'Clean up logs',
  script_id: 3,
  resolved: [
    {
      alert_id: 8,
      hostname: 'alpha',
      at: '2026-09-02T10:00:00.000Z',
      minutes: 4,
      effect: { name: 'free_percent', unit: '%', before: 3.8, after: 12.4 },
    },
    { alert_id: 6, hostname: 'bravo', at: '2026-06-17T10:00:00.000Z', minutes: 1, effect: null },
  ],
}

test('what helped before is suggested, with its dates and effect', async () => {
  const { server, open } = await givenAlerts({ alerts: THREE })
  server.on(getAlertSuggestion, () => answer(getAlertSuggestion, { suggestion: SUGGESTION }))
  const { at } = await open('/alerts?alert=1')
  const box = panel().getByRole('region', { name: 'Suggested step' })
  await expect.element(box.getByText('Suggested: run “Clean up logs”')).toBeVisible()
  await expect.element(box.getByText(/4 min later\. .*: 3.8 % → 12.4 %/)).toBeVisible()
  await expect.element(box.getByText(/1 min later on bravo/)).toBeVisible()
  await box.getByRole('button', { name: 'Run script …' }).click()
  // The script is chosen already.
  await expect.poll(at).toContain(`dialog=run-script&item=${AGENT}.3`)
})

test('without such a case nothing is suggested', async () => {
  const { server, open } = await givenAlerts({ alerts: THREE })
  await open('/alerts?alert=1')
  await expect.element(title(/alpha/)).toBeVisible()
  await expect.poll(() => server.calls(getAlertSuggestion).length).toBeGreaterThan(0)
  expect(page.getByRole('region', { name: 'Suggested step' }).elements()).toHaveLength(0)
})

test('in a narrow window the alert opens in its group, with Acknowledge first and large', async () => {
  const { open } = await givenAlerts({ alerts: THREE })
  await page.viewport(390, 844)
  await open('/alerts?alert=2')
  const button = panel().getByRole('button', { name: 'Acknowledge' })
  await expect.element(button).toBeVisible()
  await expect.poll(() => button.element().getBoundingClientRect().height).toBe(44)
  const buttons = panel().getByRole('button').elements()
  expect(buttons[0]?.textContent).toContain('Acknowledge')
  expect(causes().element().contains(button.element())).toBe(true)
  const root = document.documentElement
  expect(root.scrollWidth).toBeLessThanOrEqual(root.clientWidth)
  await button.click()
  await expect.element(page.getByText('Alert acknowledged.')).toBeVisible()
})

test('in a narrow window the card of a long group is scrolled to its buttons', async () => {
  const many = Array.from({ length: 40 }, (_, index) =>
    testAlert({ id: index + 1, message: `${DISK}: 5 % free`, hostname: `pc-${index}` }),
  )
  const { open } = await givenAlerts({ alerts: many })
  await page.viewport(390, 844)
  await open('/alerts?alert=40')
  const button = panel().getByRole('button', { name: 'Acknowledge' })
  await expect.element(button).toBeInViewport()
})

test('an alert that is resolved or gone says so', async () => {
  await openCauses('/alerts?alert=1', { alerts: [testAlert({ state: 'resolved', resolved_on: null })] })
  await expect.element(panel().getByText('resolved', { exact: true }).first()).toBeVisible()
  await openCauses('/alerts?alert=99', { alerts: [] })
  await expect.element(page.getByText('Alert not found. You may not have access to it.')).toBeVisible()
})
