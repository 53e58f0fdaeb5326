import {
  type KeyStoreEntry,
  MASKED_VALUE,
  createKey,
  deleteKey,
  editKey,
  listKeyStore,
} from '@muster/contract/api/keystore'
import { listRoles, type Role } from '@muster/contract/api/roles'
import type { Me } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer, refuse } from '../../testing/test-server.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'
import { readRole, writeRole } from '../users/roles/role-form.ts'

const AT = '2026-11-21T10:00:00.000Z'
const KEY: KeyStoreEntry = {
  id: 1,
  name: 'API',
  value: MASKED_VALUE,
  roles: null,
  created_at: AT,
  modified: AT,
}
const LIST = '/?dialog=keystore'
const dialog = () => page.getByRole('dialog')

function role(id: number, name: string): Role {
  const content = writeRole({ ...readRole(undefined), name })
  // Every flag is said by writeRole.
  return { ...(content as Role), id, user_count: 0, users: [], built_in: null, modified: '' }
}

async function givenKeys(keys: KeyStoreEntry[] = [], me: Partial<Me> = {}) {
  const { server, open } = await givenDashboard({ me })
  server.on(listKeyStore, () => answer(listKeyStore, keys))
  server.on(createKey, () => answer(createKey, KEY))
  server.on(editKey, () => answer(editKey, KEY))
  server.on(deleteKey, () => answer(deleteKey, null))
  return { server, open }
}

test('an empty store explains keys, and a key is stored', async () => {
  const { server, open } = await givenKeys()
  const { at } = await open(LIST)
  await expect.element(dialog().getByText('{{global.name}}', { exact: false })).toBeVisible()
  await dialog().getByRole('button', { name: 'New key' }).click()
  await expect.poll(at).toContain('dialog=key&item=new')
  await dialog().getByRole('textbox', { name: 'Name' }).fill('{bad}')
  await expect
    .element(dialog().getByText(/also by lines and in JSON, addresses, HTML and Base64/))
    .toBeVisible()
  await dialog().getByRole('textbox', { name: 'Value' }).fill('s3cret')
  await expect.element(dialog().getByText('Do not use braces', { exact: false })).toBeVisible()
  await dialog().getByRole('textbox', { name: 'Name' }).fill('API')
  await dialog().getByRole('button', { name: 'Add key' }).click()
  await expect.element(page.getByText('Key added.')).toBeVisible()
  expect(server.calls(createKey)[0]?.body).toEqual({ name: 'API', value: 's3cret', roles: null })
})

test('a kept value is not shown and stays unless one is typed', async () => {
  const { server, open } = await givenKeys([KEY])
  await open('/?dialog=key&item=1')
  await expect.element(dialog().getByRole('textbox', { name: 'Value' })).toHaveValue('')
  await dialog().getByRole('textbox', { name: 'Name' }).fill('TOKEN')
  await dialog().getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByText('Key saved.')).toBeVisible()
  expect(server.calls(editKey)[0]?.body).toEqual({ name: 'TOKEN', modified: AT, roles: null })
})

test('a key is given to chosen roles, which its row counts', async () => {
  const { server, open } = await givenKeys([KEY, { ...KEY, id: 2, name: 'ROOT', roles: [] }])
  server.on(listRoles, () => answer(listRoles, [role(7, 'Operators'), role(8, 'Helpers')]))
  const sentence = 'The role of ada may not use {{global.API}}.'
  server.on(editKey, () => refuse('not_allowed', sentence))
  await open(LIST)
  await expect.element(dialog().getByText('all roles')).toBeVisible()
  await expect.element(dialog().getByText('superusers only')).toBeVisible()
  await dialog().getByRole('button', { name: 'Edit API' }).click()
  await expect.element(dialog().getByRole('radio', { name: /All roles/ })).toBeChecked()
  await dialog().getByRole('radio', { name: 'Selected roles' }).click()
  await dialog().getByRole('combobox', { name: 'Selected roles' }).click()
  await page.getByRole('option', { name: 'Operators' }).click()
  // The open list lies over the buttons.
  await dialog().getByRole('textbox', { name: 'Name' }).click()
  await dialog().getByRole('button', { name: 'Save' }).click()
  await expect.element(dialog().getByText(sentence)).toBeVisible()
  expect(server.calls(editKey)[0]?.body).toEqual({ name: 'API', modified: AT, roles: [7] })
})

test('a user who may not list roles cannot choose them', async () => {
  const { open } = await givenKeys([{ ...KEY, roles: [7] }], {
    is_superuser: false,
    permissions: [
      'can_view_global_keystore',
      'can_edit_global_keystore',
      'can_list_clients',
      'can_list_agents',
    ],
  })
  await open('/?dialog=key&item=1')
  await expect.element(dialog().getByRole('radio', { name: 'Selected roles' })).toBeDisabled()
  await expect.element(dialog().getByText('Your role does not allow you to see roles.')).toBeVisible()
})

test('the form shows the error of the server', async () => {
  const { server, open } = await givenKeys([KEY])
  const sentence = 'A key named "API" already exists.'
  server.on(createKey, () => refuse('conflict', sentence))
  await open('/?dialog=key&item=new')
  await dialog().getByRole('textbox', { name: 'Name' }).fill('API')
  await dialog().getByRole('textbox', { name: 'Value' }).fill('x')
  await dialog().getByRole('button', { name: 'Add key' }).click()
  await expect.element(dialog().getByText(sentence)).toBeVisible()
})

test('deleting asks first', async () => {
  const { server, open } = await givenKeys([KEY])
  await open(LIST)
  await dialog().getByRole('button', { name: 'Delete API' }).click()
  await page.getByRole('dialog', { name: 'Delete this key?' }).getByRole('button', { name: 'Delete' }).click()
  await expect.element(page.getByText('Key deleted.')).toBeVisible()
  expect(server.calls(deleteKey)).toHaveLength(1)
})

test('a read-only role cannot change keys', async () => {
  const { open } = await givenKeys([KEY], {
    is_superuser: false,
    permissions: ['can_view_global_keystore', 'can_list_clients', 'can_list_agents'],
  })
  await open(LIST)
  await expect.element(dialog().getByText('API', { exact: true })).toBeVisible()
  await expect.element(dialog().getByRole('button', { name: 'New key' })).not.toBeInTheDocument()
  await expect.element(dialog().getByRole('button', { name: 'Edit API' })).not.toBeInTheDocument()
})
