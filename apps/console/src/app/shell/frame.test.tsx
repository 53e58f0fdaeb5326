import { listAgents } from '@muster/contract/api/agents'
import { listAlerts } from '@muster/contract/api/alerts'
import { listFleetJobs } from '@muster/contract/api/fleet-jobs'
import { listRepeatingJobs } from '@muster/contract/api/repeating-jobs'
import { type DashInfo, getDashInfo } from '@muster/contract/api/system'
import { type Me, savePreferences } from '@muster/contract/api/users'
import { beforeEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { givenDashInfo, givenSession, openConsole } from '../../testing/test-console.tsx'
import { givenFrame, testClient } from '../../testing/test-frame.ts'
import { answer, refuse } from '../../testing/test-server.ts'

beforeEach(async () => {
  givenSession({ token: 'abc', username: 'ada', name: 'Ada Winter' })
  localStorage.removeItem('rmmver')
  await page.viewport(1440, 900)
})

function givenServer({ info = {}, me = {} }: { info?: Partial<DashInfo>; me?: Partial<Me> } = {}) {
  const server = givenFrame({ info, me, version: '0.2.0', clients: [testClient(3, 'Acme', { 7: 'Berlin' })] })
  // The palette asks for a page, the table for the whole list.
  server.on(
    listAgents,
    ({ search }) =>
      new Response(search.has('page') ? '{"total":0,"page":1,"page_size":8,"results":[]}' : '[]'),
  )
  return server
}

test('another version than the one seen first shows a banner', async () => {
  localStorage.setItem('rmmver', '0.1.0')
  givenServer()
  const { screen } = await openConsole('/')
  await expect.element(screen.getByText('The server has another version of the console.')).toBeVisible()
  await expect.element(screen.getByRole('button', { name: 'Reload' })).toBeVisible()
})

test('a server whose disk is nearly full says that it is read-only', async () => {
  givenFrame({ info: { read_only: true } })
  const { screen } = await openConsole('/')
  await expect
    .element(screen.getByText(/The disk of the server is nearly full, so it is read-only\./))
    .toBeVisible()
})

test('the first version seen is kept and shows nothing', async () => {
  givenServer()
  const { screen } = await openConsole('/')
  await expect.poll(() => localStorage.getItem('rmmver')).toBe('0.2.0')
  await expect
    .element(screen.getByText('The server has another version of the console.'))
    .not.toBeInTheDocument()
})

test('the header shows the version of the server', async () => {
  givenServer()
  const { screen } = await openConsole('/')
  await expect.element(screen.getByRole('banner').getByText('0.1.0', { exact: true })).toBeVisible()
  await expect.element(screen.getByRole('menuitem', { name: 'Help' })).toBeVisible()
})

test('the tab of the browser names the page', async () => {
  givenServer()
  await openConsole('/')
  await expect.poll(() => document.title).toBe('Dashboard | Muster')
})

test('? shows the keyboard shortcuts, but not while typing', async () => {
  givenServer()
  const { screen, at } = await openConsole('/')
  const field = screen.getByRole('textbox', { name: 'Search machines' })
  await field.fill('web')
  await userEvent.keyboard('?')
  await expect.element(field).toHaveValue('web?')
  await userEvent.clear(field)
  await userEvent.keyboard('{Escape}{Shift>}?{/Shift}')
  const dialog = screen.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect.element(dialog.getByText('Find a machine, site, script, screen or action')).toBeVisible()
  expect(at()).toContain('dialog=shortcuts')
})

test('a hosted console has no help menu', async () => {
  givenServer({ info: { hosted: true } })
  const { screen } = await openConsole('/')
  await expect.element(screen.getByRole('menuitem', { name: 'Settings' })).toBeVisible()
  await expect.element(screen.getByRole('menuitem', { name: 'Help' })).not.toBeInTheDocument()
})

const pages = () =>
  page
    .getByRole('navigation', { name: 'Menu' })
    .getByRole('link')
    .elements()
    .map(({ textContent }) => textContent)

test('pages and menus show what the role allows', async () => {
  givenServer({
    me: { is_superuser: false, permissions: ['can_list_clients', 'can_list_agents', 'can_manage_sites'] },
  })
  const { screen } = await openConsole('/')
  await screen.getByRole('menuitem', { name: 'Tools' }).click()
  await expect.element(screen.getByRole('menuitem', { name: 'Add site' })).toBeVisible()
  await expect.element(screen.getByRole('menuitem', { name: 'Add client' })).not.toBeInTheDocument()
  expect(pages()).toEqual(['Overview', 'Machines'])
})

test('a role without lists sees no pages, and no empty menus', async () => {
  givenServer({ me: { is_superuser: false, permissions: ['can_list_clients'] } })
  const { screen } = await openConsole('/')
  await expect.element(screen.getByRole('menuitem', { name: 'Settings' })).toBeVisible()
  await expect.element(screen.getByRole('menuitem', { name: 'Automation' })).not.toBeInTheDocument()
  expect(pages()).toEqual([])
})

test('the menu bar leads to the pages, and marks the open one', async () => {
  const server = givenServer()
  server.on(listFleetJobs, () => answer(listFleetJobs, []))
  server.on(listRepeatingJobs, () => answer(listRepeatingJobs, []))
  const { screen, at } = await openConsole('/')
  const link = (name: string) => screen.getByRole('link', { name, exact: true })
  await expect.element(link('Machines')).toHaveAttribute('aria-current', 'page')
  expect(pages()).toEqual(['Overview', 'Machines', 'Alerts', 'Jobs', 'Patches', 'Software'])
  await link('Jobs').click()
  await expect.poll(at).toBe('/jobs')
  await expect.element(link('Jobs')).toHaveAttribute('aria-current', 'page')
  await expect.element(link('Machines')).not.toHaveAttribute('aria-current')
})

test('the menu bar shows the number of open alerts of the bell', async () => {
  const server = givenServer()
  server.on(
    listAlerts,
    () => new Response(JSON.stringify({ alerts_count: 1204, worst: 'error', alerts: [] })),
  )
  const { screen } = await openConsole('/')
  await expect.element(screen.getByRole('link', { name: 'Alerts 1,204 open' })).toBeVisible()
})

test('a narrow window has four pages and one menu with all else', async () => {
  await page.viewport(390, 844)
  givenServer()
  const { screen, at } = await openConsole('/')
  await screen.getByRole('button', { name: 'Menu', exact: true }).click()
  expect(pages()).toEqual(['Overview', 'Machines', 'Alerts', 'Jobs'])
  await expect.element(screen.getByRole('menuitem', { name: 'Patches' })).toBeVisible()
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
  const settings = screen.getByRole('group', { name: 'Settings' })
  await settings.getByRole('menuitem', { name: 'Tags' }).click()
  await expect.poll(at).toContain('dialog=tags')
})

test('the menu bar is walked with arrows and opened with Enter', async () => {
  givenServer()
  const { screen, at } = await openConsole('/')
  await expect.element(screen.getByRole('menuitem', { name: 'Tools' })).toBeVisible()
  screen.getByRole('menuitem', { name: 'Automation' }).element().focus()
  await userEvent.keyboard('{ArrowRight}{ArrowDown}')
  await expect.element(screen.getByRole('menuitem', { name: 'Install agent' })).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(at).toContain('dialog=install-agent')
})

test('dark mode is shown at once, saved, and taken back when it cannot be saved', async () => {
  const server = givenServer()
  server.on(savePreferences, () => refuse('internal', 'Something went wrong on the server.'))
  const { screen } = await openConsole('/')
  await screen.getByRole('button', { name: 'Light mode' }).click()
  await expect.element(screen.getByText('Something went wrong on the server.')).toBeVisible()
  await expect.element(screen.getByText(/test-request/)).toBeVisible()
  await expect.element(screen.getByRole('button', { name: 'Light mode' })).toBeVisible()
  expect(server.calls(savePreferences)[0]?.body).toEqual({ dark_mode: false })
})

test('the theme that another tab has switched to stays', async () => {
  givenServer()
  const { screen } = await openConsole('/')
  await expect.element(screen.getByRole('button', { name: 'Light mode' })).toBeVisible()
  const [key, newValue] = ['mantine-color-scheme-value', 'light']
  // Tests in other tabs share the storage, and may switch the theme meanwhile.
  await expect
    .poll(async () => {
      localStorage.setItem(key, newValue)
      dispatchEvent(new StorageEvent('storage', { key, newValue, storageArea: localStorage }))
      // A render of the frame that takes the theme back would come now.
      await new Promise((resolve) => setTimeout(resolve, 50))
      const isShown = screen.getByRole('button', { name: 'Dark mode' }).elements().length === 1
      return isShown && localStorage.getItem(key) === 'light'
    })
    .toBe(true)
})

test('the user’s colours override the theme’s', async () => {
  givenServer({
    info: { dash_negative_color: '#123456', loading_bar_color: 'teal', dash_warning_color: 'no such colour' },
  })
  await openConsole('/')
  const colorOf = (name: string) => document.documentElement.style.getPropertyValue(name)
  await expect.poll(() => colorOf('--dash-negative')).toBe('#123456')
  expect(colorOf('--loading-bar')).toBe('#009688')
  expect(colorOf('--dash-warning')).toBe('var(--m-warning)')
})

test('Ctrl+K finds a site by the name of its client, and Enter goes there', async () => {
  givenServer()
  const { screen, at } = await openConsole('/')
  await expect.element(screen.getByRole('treeitem', { name: /Acme/ })).toBeVisible()
  await userEvent.keyboard('{Control>}k{/Control}')
  await expect.element(screen.getByRole('combobox', { name: /Find a machine/ })).toHaveFocus()
  await userEvent.keyboard('acme berlin')
  await expect
    .element(screen.getByRole('option', { name: /Berlin/ }))
    .toHaveAttribute('aria-selected', 'true')
  await userEvent.keyboard('{Enter}')
  await expect.poll(at).toBe('/?node=Site|7')
})

test('a failed load of settings shows the request id and a retry button', async () => {
  const server = givenServer()
  server.on(getDashInfo, () => refuse('internal', 'Something went wrong on the server.'))
  const { screen } = await openConsole('/')
  await expect.element(screen.getByText(/Your settings could not be loaded\. .*test-request/)).toBeVisible()
  const again = screen.getByRole('button', { name: 'Try again' }).first()
  await expect.element(again).toBeEnabled()
  server.on(getDashInfo, () => answer(getDashInfo, givenDashInfo()))
  // At once: the console tries again automatically as well, and then has no such button.
  ;(again.element() as HTMLElement).click()
  await expect.element(screen.getByText(/Your settings could not be loaded/)).not.toBeInTheDocument()
})
