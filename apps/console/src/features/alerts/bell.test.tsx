import { changeAlert, listAlerts } from '@muster/contract/api/alerts'
import { getPush, turnOffPush, turnOnPush } from '@muster/contract/api/push'
import { expect, onTestFinished, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { queryKey } from '../../app/api/query-key.ts'
import { answer, refuse } from '../../testing/test-server.ts'
import { AGENT, givenAlerts, testAlert } from './test-alerts.ts'

const bell = (name: string | RegExp) => page.getByRole('button', { name })

test('the bell shows the number of open alerts and the worst severity', async () => {
  const { state, open } = await givenAlerts({
    alerts: [testAlert(), testAlert({ id: 2, severity: 'warning' }), testAlert({ id: 3, state: 'snoozed' })],
  })
  const { queryClient } = await open()
  await expect.element(bell('Alerts: 2 open, the worst is an error')).toHaveTextContent('2')
  state.alerts = Array.from({ length: 120 }, (_, id) => testAlert({ id, severity: 'info' }))
  // As the live link does it.
  await queryClient.invalidateQueries({ queryKey: queryKey(listAlerts) })
  await expect.element(bell('Alerts: 120 open, the worst is an information')).toHaveTextContent('99+')
})

test('without open alerts the bell shows no number', async () => {
  const { open } = await givenAlerts()
  await open()
  await bell('Alerts: none open').click()
  await expect.element(page.getByText('No open alerts.')).toBeVisible()
  await expect.element(page.getByRole('link', { name: 'All alerts' })).toBeVisible()
})

test('ten alerts are listed with their location and a link to all', async () => {
  const { open } = await givenAlerts({
    alerts: Array.from({ length: 14 }, (_, id) => testAlert({ id, message: `Alert ${id}` })),
  })
  const { at } = await open()
  await bell(/^Alerts: 14 open/).click()
  const menu = page.getByRole('dialog', { name: /^Alerts: / })
  await expect.element(menu.getByText('Alert 9')).toBeVisible()
  expect(menu.getByRole('listitem').elements()).toHaveLength(10)
  await expect.element(menu.getByText('2 hours ago').first()).toBeVisible()
  await menu.getByRole('link', { name: 'All alerts (14)' }).click()
  await expect.element(page.getByRole('heading', { name: 'Alerts' })).toBeVisible()
  expect(at()).toMatch(/^\/alerts/)
})

test('the location links to the machine, the message to the alert', async () => {
  const { open } = await givenAlerts({ alerts: [testAlert()] })
  const { at } = await open()
  await bell(/^Alerts/).click()
  await page.getByRole('link', { name: 'Acme › Berlin › alpha' }).click()
  await expect.poll(at).toBe(`/agents/${AGENT}?pane=alerts`)
  await bell(/^Alerts: 1/).click()
  await page
    .getByRole('dialog', { name: /^Alerts: / })
    .getByRole('button', { name: /^Disk space/ })
    .click()
  await expect.poll(at).toContain('dialog=alert&item=1')
})

test('acknowledge, snooze and resolve without leaving the page', async () => {
  const { server, open } = await givenAlerts({ alerts: [testAlert()] })
  await open()
  await bell(/^Alerts/).click()
  await bell(/^Snooze Disk/).click()
  const dialog = page.getByRole('dialog', { name: 'Snooze alert' })
  await expect.element(dialog.getByRole('radio', { name: /^The next reminder/ })).toBeChecked()
  await dialog.getByRole('button', { name: 'Snooze' }).click()
  await expect.element(page.getByText('Alert snoozed.')).toBeVisible()
  expect(server.calls(changeAlert)[0]?.body).toEqual({
    type: 'snooze',
    // The next hh:35, in whatever zone of whole hours.
    snooze_until: expect.stringMatching(/:35:00\.000Z$/),
  })
  await expect.element(bell('Alerts: none open')).toBeVisible()
})

test('resolving from the bell calls the server and clears the bell', async () => {
  const { server, open } = await givenAlerts({ alerts: [testAlert()] })
  await open()
  await bell(/^Alerts/).click()
  await bell(/^Resolve Disk/).click()
  await expect.element(page.getByText('No open alerts.')).toBeVisible()
  expect(server.calls(changeAlert)[0]?.body).toEqual({ type: 'resolve' })
})

test('a read-only role gets no buttons, a role without permission no bell', async () => {
  const { open } = await givenAlerts({
    alerts: [testAlert()],
    me: { is_superuser: false, permissions: ['can_list_alerts'] },
  })
  await open('/alerts')
  await bell(/^Alerts: 1/).click()
  await expect.element(page.getByRole('link', { name: 'All alerts (1)' })).toBeVisible()
  await expect.element(bell(/^Disk space/)).toBeVisible()
  expect(bell(/^Acknowledge/).elements()).toHaveLength(0)
})

test('a failing server shows the error in place of the list', async () => {
  const { server, open } = await givenAlerts()
  server.on(listAlerts, () => refuse('invalid', 'The alerts cannot be read.'))
  await open()
  await bell(/^Alerts/).click()
  await expect.element(page.getByText('The alerts cannot be read.')).toBeVisible()
})

test('a hostile message and a hostile name are text', async () => {
  const name = '<img src=x onerror=alert(1)>'
  const { open } = await givenAlerts({ alerts: [testAlert({ message: name, hostname: name })] })
  await open()
  await bell(/^Alerts/).click()
  await expect.element(page.getByRole('link', { name: /<img src=x/ })).toBeVisible()
  expect(document.querySelector('[role=dialog] img')).toBeNull()
})

test('the bell works by keyboard and returns the focus', async () => {
  const { open } = await givenAlerts({ alerts: [testAlert()] })
  await open()
  await expect.element(bell(/^Alerts: 1/)).toBeVisible()
  const element = bell(/^Alerts: 1/).element()
  if (element instanceof HTMLElement) element.focus()
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByRole('dialog', { name: /^Alerts: / })).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expect.element(page.getByRole('dialog', { name: /^Alerts: / })).not.toBeInTheDocument()
  await expect.element(bell(/^Alerts: 1/)).toHaveFocus()
})

test('browser notifications are off by default and show why they are blocked', async () => {
  const asked = vi.spyOn(Notification, 'requestPermission').mockResolvedValue('denied')
  const permission = vi.spyOn(Notification, 'permission', 'get').mockReturnValue('default')
  onTestFinished(() => {
    asked.mockRestore()
    permission.mockRestore()
  })
  const { open } = await givenAlerts()
  await open()
  await bell(/^Alerts/).click()
  const notify = page.getByRole('switch', { name: 'Notify me in this browser' })
  await expect.element(notify).not.toBeChecked()
  await notify.click()
  await expect.element(page.getByText(/^Notifications are blocked/)).toBeVisible()
  await expect.element(notify).not.toBeChecked()
  expect(asked).toHaveBeenCalledTimes(1)
})

const PUBLIC_KEY = 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM'
const ADDRESS = {
  endpoint: 'https://push.example.com/x',
  keys: { p256dh: PUBLIC_KEY, auth: 'tBHItJI5svbpez7KI4CCXg' },
}

/** A browser whose push service answers: no push service is reachable from here. */
function givenPushManager() {
  let subscription: object | null = null
  const subscribe = vi.fn(async () => {
    const key = Uint8Array.from(atob(PUBLIC_KEY.replaceAll('-', '+').replaceAll('_', '/')), (sign) =>
      sign.charCodeAt(0),
    )
    subscription = {
      options: { applicationServerKey: key.buffer },
      toJSON: () => ADDRESS,
      unsubscribe: async () => {
        subscription = null
        return true
      },
    }
    return subscription
  })
  const registration = { active: {}, pushManager: { subscribe, getSubscription: async () => subscription } }
  const spies = [
    vi.spyOn(Notification, 'requestPermission').mockResolvedValue('granted'),
    vi.spyOn(Notification, 'permission', 'get').mockReturnValue('granted'),
    // Only what the console uses.
    vi.spyOn(navigator.serviceWorker, 'getRegistration').mockResolvedValue(registration as never),
  ]
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
    localStorage.removeItem('muster browser notices')
  })
  return { subscribe, isSubscribed: () => subscription !== null }
}

test('with a push service the switch subscribes this browser, and unsubscribes it', async () => {
  const browser = givenPushManager()
  const { server, open } = await givenAlerts()
  server.on(getPush, () => answer(getPush, { public_key: PUBLIC_KEY, enabled: true }))
  server.on(turnOnPush, () => answer(turnOnPush, null))
  server.on(turnOffPush, () => answer(turnOffPush, null))
  await open()
  await bell(/^Alerts/).click()
  const notify = page.getByRole('switch', { name: 'Notify me in this browser' })
  await notify.click()
  await expect.element(page.getByText('Notifications also appear while Muster is closed.')).toBeVisible()
  await expect.element(notify).toBeChecked()
  expect(browser.subscribe).toHaveBeenCalledWith({ userVisibleOnly: true, applicationServerKey: PUBLIC_KEY })
  expect(server.calls(turnOnPush)[0]?.body).toEqual(ADDRESS)
  // Sent again at each start, here by the part that was just mounted.
  await expect.poll(() => server.calls(turnOnPush).length).toBe(2)
  expect(browser.subscribe).toHaveBeenCalledTimes(1)
  await notify.click()
  await expect.element(notify).not.toBeChecked()
  await expect.poll(() => server.calls(turnOffPush).length).toBe(1)
  expect(browser.isSubscribed()).toBe(false)
})

test('where an administrator switched push off, notifications come from the open page', async () => {
  const browser = givenPushManager()
  const shown = vi.fn()
  const Real = window.Notification
  window.Notification = class extends Real {
    constructor(title: string) {
      super('')
      shown(title)
    }
  }
  onTestFinished(() => {
    window.Notification = Real
  })
  const { server, open } = await givenAlerts()
  server.on(getPush, () => answer(getPush, { public_key: PUBLIC_KEY, enabled: false }))
  await open()
  await bell(/^Alerts/).click()
  await page.getByRole('switch', { name: 'Notify me in this browser' }).click()
  await expect.element(page.getByText(/^Notifications appear while Muster is open/)).toBeVisible()
  expect(browser.subscribe).not.toHaveBeenCalled()
  expect(shown).toHaveBeenCalledWith('Muster shows new errors and warnings here.')
})
