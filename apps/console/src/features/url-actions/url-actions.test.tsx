import { getDashInfo } from '@muster/contract/api/system'
import { createUrlAction, listUrlActions, runUrlAction } from '@muster/contract/api/url-actions'
import { savePreferences } from '@muster/contract/api/users'
import { expect, onTestFinished, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { givenDashInfo } from '../../testing/test-console.tsx'
import { answer } from '../../testing/test-server.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'

const DOCS = {
  id: 3,
  name: 'Docs',
  desc: 'Our wiki',
  pattern: 'https://docs.example.org/{{agent.hostname}}',
  action_type: 'web' as const,
  modified: 'm1',
}

async function prepare() {
  const { server, open } = await givenDashboard()
  server.on(listUrlActions, () => answer(listUrlActions, [DOCS]))
  server.on(runUrlAction, () => answer(runUrlAction, 'https://docs.example.org/alpha'))
  const opened = vi.spyOn(window, 'open').mockReturnValue(null)
  onTestFinished(() => opened.mockRestore())
  return { server, open, opened }
}

const row = (name: string) => page.getByRole('grid', { name: 'Machines' }).getByText(name, { exact: true })

test('TREE-16, AMENU-06: the menus of a machine and of a client open a URL made for it', async () => {
  const { server, open, opened } = await prepare()
  await open()
  await row('alpha').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Open a URL' }).click()
  await page.getByRole('menuitem', { name: /Docs/ }).click()
  await expect
    .poll(() => opened.mock.calls)
    .toEqual([['https://docs.example.org/alpha', '_blank', 'noopener']])
  expect(server.calls(runUrlAction)[0]?.body).toEqual({ action: 3, agent_id: 'alpha0000000' })
  await page.getByRole('treeitem', { name: /Acme/ }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Open a URL' }).click()
  await page.getByRole('menuitem', { name: /Docs/ }).click()
  await expect.poll(() => server.calls(runUrlAction)[1]?.body).toEqual({ action: 3, client: 1 })
})

test('AGT-16: a double click opens the URL action of the preferences', async () => {
  const { server, open, opened } = await prepare()
  server.on(getDashInfo, () =>
    answer(getDashInfo, givenDashInfo({ dbl_click_action: 'urlaction', url_action: 3 })),
  )
  await open()
  await row('alpha').dblClick()
  await expect.poll(() => opened.mock.calls.length).toBe(1)
  expect(server.calls(runUrlAction)[0]?.body).toEqual({ action: 3, agent_id: 'alpha0000000' })
})

test('PREF-03: the preferences ask for a URL action if a double click opens one', async () => {
  const { server, open } = await prepare()
  await open('/settings/preferences')
  const form = page.getByRole('main')
  await form.getByRole('combobox', { name: 'Double click on a machine' }).click()
  await page.getByRole('option', { name: 'Open a URL' }).click()
  await expect.element(form.getByRole('button', { name: 'Save' })).toBeDisabled()
  await form.getByRole('combobox', { name: 'URL action', exact: true }).click()
  await page.getByRole('option', { name: 'Docs' }).click()
  await form.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(() => server.calls(savePreferences).at(-1)?.body)
    .toMatchObject({ agent_dblclick_action: 'urlaction', url_action: 3 })
})

test('GTAB-03: a URL action is added, and an unsafe URL is refused at its field', async () => {
  const { server, open } = await prepare()
  server.on(createUrlAction, () => answer(createUrlAction, { ...DOCS, id: 4, name: 'Tickets' }))
  await open('/?dialog=url-actions')
  await page.getByRole('button', { name: 'New URL action' }).click()
  const dialog = page.getByRole('dialog', { name: 'New URL action' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Tickets')
  await dialog.getByRole('textbox', { name: 'URL' }).fill('javascript:alert(1)')
  await userEvent.keyboard('{Tab}')
  await expect.element(dialog.getByText(/Enter a URL with its scheme/)).toBeVisible()
  const pattern = 'https://tickets.example.org/?client={{client.name}}'
  await dialog.getByRole('textbox', { name: 'URL' }).fill(pattern)
  await dialog.getByRole('button', { name: 'Add URL action' }).click()
  await expect
    .poll(() => server.calls(createUrlAction).at(-1)?.body)
    .toEqual({ name: 'Tickets', desc: '', pattern })
})
