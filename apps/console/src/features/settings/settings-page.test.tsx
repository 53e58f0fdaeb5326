import { listAlertChannels } from '@muster/contract/api/alert-channels'
import { listMaintenanceWindows } from '@muster/contract/api/maintenance'
import { getRemoteAccess } from '@muster/contract/api/remote-access'
import { editCoreSettings, getCoreSettings } from '@muster/contract/api/settings'
import { getRollout, getUpdateSettings } from '@muster/contract/api/updates'
import type { Me } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { givenMe } from '../../testing/test-console.tsx'
import { answer } from '../../testing/test-server.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'
import { findSettings, visibleSections } from './settings-sections.ts'
import { testSettings } from './test-settings.ts'

const search = () => page.getByRole('combobox', { name: 'Search settings' })
const heading = (name: string) => page.getByRole('heading', { level: 2, name, exact: true })
const nav = () => page.getByRole('navigation', { name: 'Settings' })

async function openSettings(path: string, me: Partial<Me> = {}) {
  const { server, open } = await givenDashboard({ me })
  server.on(getCoreSettings, () => answer(getCoreSettings, testSettings()))
  server.on(editCoreSettings, ({ body }) =>
    answer(editCoreSettings, { ...testSettings(), ...Object(body), modified: '2026-11-21T12:00:00.000Z' }),
  )
  return { server, ...(await open(path)) }
}

test('the search finds a setting by its words, and Enter goes to its field', async () => {
  const { at } = await openSettings('/settings')
  await expect.poll(at).toBe('/settings/preferences')
  await search().fill('retention')
  const hits = page.getByRole('option')
  await expect.element(hits.first()).toHaveAccessibleName('Raw data, Retention')
  await search().fill('actions of users')
  await expect.poll(() => hits.elements().length).toBe(1)
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByRole('textbox', { name: 'Audit log' })).toHaveFocus()
  expect(at()).toBe('/settings/retention')
  await search().fill('no such setting')
  await expect.element(page.getByText('No settings match “no such setting”.')).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expect.element(nav().getByRole('link', { name: 'Retention' })).toHaveAttribute('aria-current', 'page')
})

test('arrows choose among the hits', async () => {
  const { at } = await openSettings('/settings/general')
  await search().fill('max. size')
  await expect.poll(() => page.getByRole('option').elements().length).toBe(2)
  await userEvent.keyboard('{ArrowDown}{Enter}')
  await expect.element(page.getByRole('textbox', { name: 'Max. size per desktop' })).toHaveFocus()
  expect(at()).toBe('/settings/recordings')
})

test('lists are found too, and open their dialog or page', async () => {
  const { server, at } = await openSettings('/settings/general')
  server.on(listAlertChannels, () => answer(listAlertChannels, []))
  server.on(listMaintenanceWindows, () => answer(listMaintenanceWindows, []))
  await search().fill('mail')
  await expect.element(page.getByRole('option')).toHaveAccessibleName('Alert channels, Lists')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText('No notifications yet.', { exact: false })).toBeVisible()
  expect(at()).toBe('/settings/general?dialog=alert-channels')
  await userEvent.keyboard('{Escape}')
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  await nav().getByRole('button', { name: 'Maintenance windows' }).click()
  await expect.element(page.getByRole('heading', { level: 1, name: 'Maintenance windows' })).toBeVisible()
  expect(at()).toBe('/maintenance')
})

test('a section stays after saving, and is left with a question when it has changes', async () => {
  const { server, at } = await openSettings('/settings/general')
  const company = page.getByRole('textbox', { name: 'Your company' })
  await company.fill('Nordwind IT')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByText('Settings saved.')).toBeVisible()
  await expect.element(page.getByText('No changes to save.')).toBeVisible()
  await expect.element(company).toHaveValue('Nordwind IT')
  // Saved again with what the server said last.
  await company.fill('Nordwind')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(() => server.calls(editCoreSettings)[1]?.body)
    .toMatchObject({
      companyname: 'Nordwind',
      modified: '2026-11-21T12:00:00.000Z',
    })
  await expect.element(page.getByText('No changes to save.')).toBeVisible()
  await company.fill('Other')
  await nav().getByRole('link', { name: 'Retention' }).click()
  const question = page.getByRole('dialog', { name: 'Discard your changes?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect.element(company).toHaveValue('Other')
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await expect.element(company).toHaveValue('Nordwind')
  await nav().getByRole('link', { name: 'Retention' }).click()
  await expect.element(heading('Retention')).toBeVisible()
  expect(at()).toBe('/settings/retention')
})

test('sections that the role may not use are absent, also from the search', async () => {
  await openSettings('/settings', {
    is_superuser: false,
    permissions: ['can_list_clients', 'can_list_agents', 'can_update_agents'],
  })
  await expect.element(nav().getByRole('link', { name: 'Agent updates' })).toBeVisible()
  const titles = nav()
    .getByRole('link')
    .elements()
    .map(({ textContent }) => textContent)
  expect(titles).toEqual(['Preferences', 'Agent updates'])
  await search().fill('command history')
  await expect.element(page.getByText('No settings match “command history”.')).toBeVisible()
})

test('the address of a section that the role may not use, or that does not exist, says so', async () => {
  const me = { is_superuser: false, permissions: ['can_list_clients' as const] }
  const { router } = await openSettings('/settings/retention', me)
  await expect.element(page.getByText('Your role does not allow you to see this.')).toBeVisible()
  await router.navigate({ to: '/settings/$section', params: { section: '__proto__' } })
  await expect.element(page.getByText('No such section of the settings.')).toBeVisible()
})

test.each([
  ['settings', '/settings/preferences', 'Preferences'],
  ['preferences', '/settings/preferences', 'Preferences'],
  ['remote-access', '/settings/remote-access', 'Remote access'],
  ['agent-updates', '/settings/agent-updates', 'Agent updates'],
])('the old address of the dialog %s leads to %s', async (dialog, path, title) => {
  const { server, open } = await givenDashboard()
  server.on(getRemoteAccess, () => new Response('{}', { status: 500 }))
  server.on(getUpdateSettings, () => new Response('{}', { status: 500 }))
  server.on(getRollout, () => new Response('{}', { status: 500 }))
  const { at } = await open(`/?dialog=${dialog}`)
  await expect.poll(at).toBe(path)
  await expect.poll(() => document.title).toBe(`${title} | Settings | Muster`)
})

test('on a phone the sections are a list, and each leads back to it', async () => {
  const { server, open } = await givenDashboard()
  server.on(getCoreSettings, () => answer(getCoreSettings, testSettings()))
  await page.viewport(390, 844)
  const { at } = await open('/settings')
  await nav().getByRole('link', { name: 'Retention' }).click()
  await expect.element(page.getByRole('textbox', { name: 'Raw data' })).toBeVisible()
  await expect.element(nav()).not.toBeInTheDocument()
  await page.getByRole('link', { name: 'Back to settings' }).click()
  await expect.element(nav().getByRole('link', { name: 'Retention' })).toBeVisible()
  expect(at()).toBe('/settings')
})

test('every field of the sections of the server is found by its own label', async () => {
  const { router } = await openSettings('/settings/general')
  for (const section of visibleSections(givenMe()).filter(
    ({ needs }) => needs === 'can_view_core_settings',
  )) {
    await router.navigate({ to: '/settings/$section', params: { section: section.name } })
    await expect.element(heading(section.title)).toBeVisible()
    const fields = Array.from(
      page.getByRole('region', { name: section.title }).element().querySelectorAll('[data-path]'),
      (field) => field.getAttribute('data-path') ?? '',
    )
    expect(fields.toSorted()).toEqual(Object.keys(section.fields).toSorted())
    for (const [field, { label }] of Object.entries(section.fields)) {
      expect(findSettings([section], label).map((hit) => hit.field)).toContain(field)
    }
  }
})
