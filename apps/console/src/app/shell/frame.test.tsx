import { listAgents } from '@muster/contract/api/agents'
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

test('a hosted console has no help menu', async () => {
  givenServer({ info: { hosted: true } })
  const { screen } = await openConsole('/')
  await expect.element(screen.getByRole('menuitem', { name: 'File' })).toBeVisible()
  await expect.element(screen.getByRole('menuitem', { name: 'Help' })).not.toBeInTheDocument()
})

test('menus show what the role allows', async () => {
  givenServer({
    me: { is_superuser: false, permissions: ['can_list_clients', 'can_list_agents', 'can_manage_sites'] },
  })
  const { screen } = await openConsole('/')
  await screen.getByRole('menuitem', { name: 'File' }).click()
  await expect.element(screen.getByRole('menuitem', { name: 'Add site' })).toBeVisible()
  await expect.element(screen.getByRole('menuitem', { name: 'Add client' })).not.toBeInTheDocument()
  await expect.element(screen.getByRole('menuitem', { name: 'Agents' })).not.toBeInTheDocument()
})

test('the menu bar is walked with arrows and opened with Enter', async () => {
  givenServer()
  const { screen, at } = await openConsole('/')
  await expect.element(screen.getByRole('menuitem', { name: 'Agents' })).toBeVisible()
  screen.getByRole('menuitem', { name: 'File' }).element().focus()
  await userEvent.keyboard('{ArrowRight}{ArrowRight}{ArrowDown}')
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
  server.on(getDashInfo, () => answer(getDashInfo, givenDashInfo()))
  await screen.getByRole('button', { name: 'Try again' }).first().click()
  await expect.element(screen.getByText(/Your settings could not be loaded/)).not.toBeInTheDocument()
})
