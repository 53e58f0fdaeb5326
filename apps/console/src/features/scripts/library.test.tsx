import {
  type Script,
  createScript,
  downloadScript,
  editScript,
  listScripts,
} from '@muster/contract/api/scripts'
import { savePreferences } from '@muster/contract/api/users'
import { beforeEach, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { givenSession, openConsole } from '../../testing/test-console.tsx'
import { givenFrame } from '../../testing/test-frame.ts'
import { answer, refuse } from '../../testing/test-server.ts'
import { testScript } from './test-script.ts'

beforeEach(async () => {
  localStorage.clear()
  givenSession({ token: 'abc', username: 'ada', name: 'Ada Winter' })
  await page.viewport(1440, 900)
})

const SCRIPTS = [
  testScript({ id: 7, name: 'Clean', category: 'Upkeep', args: ['--deep', '{{agent.hostname}}'] }),
  testScript({ id: 8, name: 'Ask', category: 'Upkeep', favorite: true }),
  testScript({ id: 9, name: 'Tidy' }),
]

function givenLibrary() {
  const server = givenFrame()
  let scripts: Script[] = SCRIPTS
  server.on(listScripts, () => answer(listScripts, scripts))
  server.on(editScript, ({ body }) => {
    const change = body as Partial<Script> & { id: number }
    scripts = scripts.map((script) => (script.id === 7 ? { ...script, ...change } : script))
    return answer(editScript, { ...SCRIPTS[0]!, ...change, script_body: '', script_hash: '', modified: '' })
  })
  return server
}

const openLibrary = () => openConsole('/scripts')

test('folders hold the scripts of a category; which are open, and that there are folders, is remembered', async () => {
  givenLibrary()
  const first = await openLibrary()
  await first.screen.getByText('Folders', { exact: true }).click()
  const folder = first.screen.getByRole('treeitem', { name: 'Upkeep 2' })
  await expect.element(folder).toHaveAttribute('aria-expanded', 'false')
  await expect.element(first.screen.getByRole('treeitem', { name: 'Unassigned 1' })).toBeVisible()
  await folder.click()
  await expect.element(first.screen.getByRole('treeitem', { name: /Ask/ })).toBeVisible()
  await first.screen.unmount()
  const { screen } = await openLibrary()
  await expect.element(screen.getByRole('treeitem', { name: /Ask Favourite/ })).toBeVisible()
  await expect.element(screen.getByRole('treeitem', { name: 'Tidy' })).not.toBeInTheDocument()
})

test('a search shows matches in closed folders too; Enter opens a script', async () => {
  givenLibrary()
  const { screen, at } = await openLibrary()
  await screen.getByText('Folders', { exact: true }).click()
  await screen.getByRole('textbox', { name: 'Search scripts' }).fill('tidy')
  await expect.element(screen.getByRole('treeitem', { name: 'Tidy' })).toBeVisible()
  await expect.element(screen.getByRole('treeitem', { name: /Upkeep/ })).not.toBeInTheDocument()
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{Enter}')
  await vi.waitFor(() => expect(at()).toContain('item=9'))
})

test('a script in a folder has the menu of its row, and two clicks open it', async () => {
  const server = givenLibrary()
  const { screen, at } = await openLibrary()
  await screen.getByText('Folders', { exact: true }).click()
  await screen.getByRole('treeitem', { name: 'Upkeep 2' }).click()
  await screen.getByRole('treeitem', { name: 'Clean' }).click({ button: 'right' })
  await screen.getByRole('menuitem', { name: 'Hide script' }).click()
  await expect.element(screen.getByRole('treeitem', { name: 'Clean' })).not.toBeInTheDocument()
  expect(server.calls(editScript)[0]?.body).toEqual({ hidden: true })
  await screen.getByRole('treeitem', { name: /Ask/ }).dblClick()
  await vi.waitFor(() => expect(at()).toContain('item=8'))
})

test('default arguments are a column, and columns can be put away for good', async () => {
  givenLibrary()
  const first = await openLibrary()
  await expect.element(first.screen.getByText('--deep {{agent.hostname}}')).toBeVisible()
  await first.screen.getByRole('button', { name: 'Columns' }).click()
  await first.screen.getByRole('menuitemcheckbox', { name: 'Default arguments' }).click()
  await expect.element(first.screen.getByText('--deep {{agent.hostname}}')).not.toBeInTheDocument()
  await first.screen.unmount()
  const { screen } = await openLibrary()
  await expect.element(screen.getByRole('row', { name: /Clean/ })).toBeVisible()
  await expect
    .element(screen.getByRole('columnheader', { name: 'Default arguments' }))
    .not.toBeInTheDocument()
})

test('invalid stored settings of the library are ignored', async () => {
  localStorage.setItem('scriptmanager_tableView', '{')
  localStorage.setItem('scriptmanager_columns', '["password", "args"]')
  localStorage.setItem('scriptmanager_expanded', '7')
  givenLibrary()
  const { screen } = await openLibrary()
  await expect.element(screen.getByRole('columnheader', { name: 'Default arguments' })).toBeVisible()
  await expect.element(screen.getByRole('columnheader', { name: 'Category' })).not.toBeInTheDocument()
})

test('a script is uploaded: its file gives code, name and shell, and nothing is saved before there is one', async () => {
  const server = givenLibrary()
  server.on(createScript, ({ body }) =>
    answer(createScript, {
      ...SCRIPTS[0]!,
      ...(body as Script),
      id: 10,
      script_body: '',
      script_hash: '',
      modified: '',
    }),
  )
  const { screen } = await openLibrary()
  await screen.getByRole('button', { name: 'New script', exact: true }).click()
  await screen.getByRole('menuitem', { name: 'Upload script' }).click()
  const editor = screen.getByRole('dialog', { name: 'Upload script' })
  const choose = editor.getByRole('button', { name: 'Choose file' })
  await expect.element(choose).toHaveFocus()
  // Narrow: below each other, the file before the fields.
  await page.viewport(390, 844)
  const name = editor.getByRole('textbox', { name: 'Name', exact: true })
  const topOf = (element: Element) => element.getBoundingClientRect().top
  await expect.poll(() => topOf(choose.element()) < topOf(name.element())).toBe(true)
  await page.viewport(1440, 900)
  await name.fill('Mine')
  await expect.element(editor.getByRole('button', { name: 'Save' })).toBeDisabled()
  const file = new File(['#!/usr/bin/env python3\nprint(1)\n'], 'count users.py')
  const input = editor.element().querySelector('input[type=file]')
  await userEvent.upload(input as HTMLInputElement, file)
  await expect.element(editor.getByRole('textbox', { name: 'Code' }).getByText('print(1)')).toBeVisible()
  await expect.element(name).toHaveFocus()
  await editor.getByRole('button', { name: 'Save' }).click()
  await expect.element(editor).not.toBeInTheDocument()
  expect(server.calls(createScript)[0]?.body).toMatchObject({
    name: 'Mine',
    shell: 'python',
    filename: 'count users.py',
    script_body: '#!/usr/bin/env python3\nprint(1)\n',
  })
})

test('a script is downloaded under the name that the server gives it', async () => {
  const server = givenLibrary()
  server.on(downloadScript, () => answer(downloadScript, { filename: 'clean.sh', code: 'true\n' }))
  const saved: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download)
  })
  const { screen } = await openLibrary()
  await screen.getByText('Folders', { exact: true }).click()
  await screen.getByRole('treeitem', { name: 'Upkeep 2' }).click()
  await screen.getByRole('treeitem', { name: 'Clean' }).click({ button: 'right' })
  await screen.getByRole('menuitem', { name: 'Download' }).click()
  await vi.waitFor(() => expect(saved).toEqual(['clean.sh']))
  vi.restoreAllMocks()
})

test('built-in scripts are marked, and shown or hidden for this user', async () => {
  const server = givenLibrary()
  const builtIn = testScript({ id: 1, name: 'Disk use', script_type: 'builtin' })
  server.on(listScripts, () => answer(listScripts, [...SCRIPTS, builtIn]))
  server.on(savePreferences, () => refuse('internal', 'Something went wrong on the server.'))
  const { screen } = await openLibrary()
  const row = screen.getByRole('row', { name: /Disk use.*Built in/ })
  await expect.element(row).toBeVisible()
  await expect.element(screen.getByRole('row', { name: /Clean.*Built in/ })).not.toBeInTheDocument()
  const shown = screen.getByRole('checkbox', { name: 'Community scripts' })
  await shown.click()
  expect(server.calls(savePreferences)[0]?.body).toEqual({ show_community_scripts: false })
  // Not saved: it is as it was.
  await expect.element(shown).toBeChecked()
  await expect.element(row).toBeVisible()
  server.on(savePreferences, () => new Response('{}'))
  await shown.click()
  await expect.element(row).not.toBeInTheDocument()
})

test('the list marks a script that waits for approval', async () => {
  const server = givenLibrary()
  server.on(listScripts, () =>
    answer(listScripts, [testScript({ server_approval: 'waiting' }), testScript({ id: 8, name: 'Ask' })]),
  )
  const { screen } = await openLibrary()
  await expect.element(screen.getByRole('row', { name: /Clean Waiting for approval/ })).toBeVisible()
  await expect.element(screen.getByRole('row', { name: /Ask/ })).not.toHaveTextContent('Waiting')
})
