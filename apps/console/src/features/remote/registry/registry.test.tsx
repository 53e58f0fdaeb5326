import { getAgent } from '@muster/contract/api/agents'
import {
  createRegistryKey,
  createRegistryValue,
  deleteRegistryKey,
  listRegistry,
  modifyRegistryValue,
  type RegistryListing,
  readRegistryValue,
} from '@muster/contract/api/registry'
import { confirmSession } from '@muster/contract/api/sessions'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, type Received, refuse } from '../../../testing/test-server.ts'
import { givenDashboard, testDetail } from '../../dashboard/test-dashboard.ts'

const ACME = 'HKEY_LOCAL_MACHINE\\SOFTWARE\\Acme'
const NOTHING = {
  values: [],
  has_more: false,
  next_keys: null,
  next_values: null,
  key_count: 0,
  value_count: 0,
}
const below = (path: string, ...names: string[]): RegistryListing => ({
  ...NOTHING,
  path,
  subkeys: names.map((name) => ({ name, has_subkeys: name !== 'Acme' })),
  key_count: names.length,
})
const PAGES: Record<string, RegistryListing> = {
  '': below('', 'HKEY_LOCAL_MACHINE', 'HKEY_USERS'),
  HKEY_LOCAL_MACHINE: below('HKEY_LOCAL_MACHINE', 'SOFTWARE'),
  'HKEY_LOCAL_MACHINE\\SOFTWARE': {
    ...below('HKEY_LOCAL_MACHINE\\SOFTWARE', 'Acme'),
    has_more: true,
    next_keys: 1,
    key_count: 2,
  },
  [ACME]: {
    ...below(ACME),
    values: [
      { name: '', type: 'REG_SZ', data: '<b>\u001B[2J', size: 16, bytes: '' },
      { name: 'speed', type: 'REG_DWORD', data: '0x00000001 (1)', size: 4, bytes: 'AQAAAA==' },
    ],
    value_count: 2,
  },
}
const values = () => page.getByRole('grid', { name: 'Values' })
const menu = async (name: 'Key' | 'Value', entry: string) => {
  await button(name).click()
  await page.getByRole('menuitem', { name: new RegExp(`^${entry}`) }).click()
}
const button = (name: string) => page.getByRole('button', { name, exact: true })

async function openRegistry(plat: 'windows' | 'linux' = 'windows', list = answerPage) {
  const given = await givenDashboard()
  const { server } = given
  server.on(getAgent, () => answer(getAgent, testDetail({ plat })))
  server.on(listRegistry, list)
  await given.open('/remotebackground/alpha0000000?tool=registry')
  return server
}

function answerPage({ search }: Received) {
  const path = search.get('path') ?? ''
  if (path.endsWith('SOFTWARE') && search.get('keys_from') === '1')
    return answer(listRegistry, { ...below(path, 'Zebra'), key_count: 2 })
  const found = PAGES[path]
  return found === undefined
    ? refuse('agent_refused', `alpha: ${path}: It is not there any more.`)
    : answer(listRegistry, found)
}

test('keys are opened one by one, values are shown, changed and added', async () => {
  const server = await openRegistry()
  await button('Open HKEY_LOCAL_MACHINE').click()
  await button('Open SOFTWARE').click()
  await button('More keys').click()
  await expect.element(button('Zebra')).toBeVisible()
  await button('Acme').click()
  await expect.element(page.getByRole('textbox', { name: 'Key path' })).toHaveValue(ACME)
  await expect.element(values().getByText('<b>␛[2J')).toBeVisible()
  await expect.element(page.getByText('0 keys, 2 values')).toBeVisible()

  const speed = { type: 'REG_DWORD', data: '0x00000001 (1)', size: 4, bytes: 'AQAAAA==' }
  server.on(readRegistryValue, () => answer(readRegistryValue, speed))
  server.on(modifyRegistryValue, () => answer(modifyRegistryValue, { path: ACME }))
  await values().getByText('speed').click()
  await menu('Value', 'Edit value')
  const data = page.getByRole('dialog').getByRole('textbox', { name: 'Data' })
  await expect.element(data).toHaveValue('0x1')
  await data.fill('4294967296')
  await expect.element(page.getByText('that fits the type', { exact: false })).toBeVisible()
  await expect.element(button('Save')).toBeDisabled()
  await data.fill('4294967295')
  await button('Save').click()
  const bytes = '/////w=='
  const body = { path: ACME, name: 'speed', type: 'REG_DWORD', bytes }
  await expect.poll(() => server.calls(modifyRegistryValue)[0]?.body).toEqual(body)

  server.on(createRegistryValue, () => answer(createRegistryValue, { path: ACME }))
  await menu('Key', 'New value')
  await page.getByRole('textbox', { name: 'Name' }).fill('blob')
  await page.getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'REG_BINARY' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Data' }).fill('0')
  await expect.element(button('Save')).toBeDisabled()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Data' }).fill('00 FF')
  await button('Save').click()
  const added = { path: ACME, name: 'blob', type: 'REG_BINARY', bytes: 'AP8=' }
  await expect.poll(() => server.calls(createRegistryValue)[0]?.body).toEqual(added)
})

test('a value has a menu, as in regedit', async () => {
  await openRegistry()
  await page.getByRole('textbox', { name: 'Key path' }).fill(ACME)
  await button('Go').click()
  await values().getByRole('row').filter({ hasText: 'speed' }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: /^Rename value/ }).click()
  await expect.element(page.getByRole('dialog').getByRole('textbox').first()).toHaveValue('speed')
  await userEvent.keyboard('{Escape}')
  await values().getByRole('row').filter({ hasText: 'speed' }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: /^Delete value/ }).click()
  const question = page.getByText(`Deletes speed of ${ACME}.`)
  await expect.element(question).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expect.element(question).not.toBeInTheDocument()
  await values().getByRole('row').filter({ hasText: 'speed' }).click()
  await userEvent.keyboard('{F2}')
  await expect.element(page.getByRole('dialog').getByRole('textbox').first()).toHaveValue('speed')
  await userEvent.keyboard('{Escape}')
  await values().getByRole('row').filter({ hasText: 'speed' }).click()
  await userEvent.keyboard('{Delete}')
  await expect.element(question).toBeVisible()
})

test('disabled entries show the reason', async () => {
  await openRegistry()
  await button('Value').click()
  await expect
    .element(page.getByRole('menuitem', { name: /^Delete value Select a value first\./ }))
    .toBeDisabled()
  await userEvent.keyboard('{Escape}')
  await button('Key').click()
  await expect.element(page.getByRole('menuitem', { name: /^New key Choose a key first\./ })).toBeDisabled()
})

test('keys have a menu as in regedit, and the keyboard walks them', async () => {
  await openRegistry()
  await button('HKEY_LOCAL_MACHINE').click()
  await userEvent.keyboard('{ArrowRight}')
  await expect.element(button('SOFTWARE')).toBeVisible()
  await userEvent.keyboard('{F2}{ArrowDown}')
  await expect.element(button('SOFTWARE')).toHaveFocus()
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  await userEvent.keyboard('{Shift>}{F10}{/Shift}')
  await page.getByRole('menuitem', { name: 'New value' }).click()
  await expect.element(page.getByRole('dialog')).toBeVisible()
  await expect
    .element(page.getByRole('textbox', { name: 'Key path' }))
    .toHaveValue('HKEY_LOCAL_MACHINE\\SOFTWARE')
  await userEvent.keyboard('{Escape}')
  await button('SOFTWARE').click()
  await userEvent.keyboard('{F2}')
  await expect.element(page.getByRole('dialog').getByRole('textbox').first()).toHaveValue('SOFTWARE')
  await userEvent.keyboard('{Escape}')
  await button('HKEY_LOCAL_MACHINE').click({ button: 'right' })
  await expect.element(page.getByRole('menuitem', { name: /^Delete key Windows does not/ })).toBeDisabled()
})

test('keys are created and deleted after a question, and errors are shown', async () => {
  const server = await openRegistry()
  await page.getByRole('textbox', { name: 'Key path' }).fill(`${ACME}\\`)
  await userEvent.keyboard('{Enter}')
  await expect.element(values().getByText('speed')).toBeVisible()
  server.on(createRegistryKey, () => refuse('agent_refused', 'alpha: Access is denied, also to the agent.'))
  await menu('Key', 'New key')
  await page.getByRole('textbox', { name: 'Name' }).fill('a\\b')
  await expect.element(page.getByText('Do not use backslashes.')).toBeVisible()
  await expect.element(button('Save')).toBeDisabled()
  await page.getByRole('textbox', { name: 'Name' }).fill('new')
  await button('Save').click()
  await expect.element(page.getByText('Access is denied, also to the agent.', { exact: false })).toBeVisible()
  expect(server.calls(createRegistryKey)[0]?.body).toEqual({ path: `${ACME}\\new` })
  server.on(createRegistryKey, () => answer(createRegistryKey, { path: ACME }))
  await button('Save').click()
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  server.on(deleteRegistryKey, () => answer(deleteRegistryKey, { path: ACME }))
  await menu('Key', 'Delete key')
  await button('Delete').click()
  await expect.poll(() => server.calls(deleteRegistryKey)[0]?.search.get('path')).toBe(ACME)
  await expect
    .element(page.getByRole('textbox', { name: 'Key path' }))
    .toHaveValue('HKEY_LOCAL_MACHINE\\SOFTWARE')
})

test('a code is asked for before the registry, and other systems have no such tab', async () => {
  const sentence = 'Your role asks for a code before the registry is opened.'
  const server = await openRegistry('windows', () => refuse('code_needed', sentence))
  const dialog = page.getByRole('dialog', { name: 'Enter your code' })
  await expect.element(dialog.getByText(sentence)).toBeVisible()
  server.on(confirmSession, () => answer(confirmSession, { until: '2026-11-22T12:00:00.000Z' }))
  server.on(listRegistry, () => answer(listRegistry, below('', 'HKEY_USERS')))
  await dialog.getByRole('textbox').first().fill('123456')
  await expect.element(button('HKEY_USERS')).toBeVisible()
})

test('a machine with another system has no registry', async () => {
  await openRegistry('linux')
  await expect.element(page.getByRole('tab', { name: 'Logs' })).toBeVisible()
  await expect.element(page.getByRole('tab', { name: 'Registry' })).not.toBeInTheDocument()
})

test('the selected tab stays visible when the window becomes narrow', async () => {
  await page.viewport(1280, 800)
  await openRegistry()
  const tab = page.getByRole('tab', { name: 'Registry' })
  await expect.element(tab).toBeInViewport({ ratio: 1 })
  await page.viewport(390, 800)
  await expect.element(tab).toBeInViewport({ ratio: 1 })
})
