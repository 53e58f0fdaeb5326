import {
  type KeyStoreEntry,
  MASKED_VALUE,
  createKey,
  deleteKey,
  editKey,
  listKeyStore,
} from '@muster/contract/api/keystore'
import type { Me } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer, refuse } from '../../app/test-server.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'

const AT = '2026-11-21T10:00:00.000Z'
const KEY: KeyStoreEntry = { id: 1, name: 'API', value: MASKED_VALUE, created_at: AT, modified: AT }
const LIST = '/?dialog=keystore'
const dialog = () => page.getByRole('dialog')

async function givenKeys(keys: KeyStoreEntry[] = [], me: Partial<Me> = {}) {
  const { server, open } = await givenDashboard({ me })
  server.on(listKeyStore, () => answer(listKeyStore, keys))
  server.on(createKey, () => answer(createKey, KEY))
  server.on(editKey, () => answer(editKey, KEY))
  server.on(deleteKey, () => answer(deleteKey, null))
  return { server, open }
}

test('an empty store says what keys are for, and a key is stored', async () => {
  const { server, open } = await givenKeys()
  const { at } = await open(LIST)
  await expect.element(dialog().getByText('{{global.name}}', { exact: false })).toBeVisible()
  await dialog().getByRole('button', { name: 'New key' }).click()
  await expect.poll(at).toContain('dialog=key&item=new')
  await dialog().getByRole('textbox', { name: 'Name' }).fill('{bad}')
  await dialog().getByRole('textbox', { name: 'Value' }).fill('s3cret')
  await expect.element(dialog().getByText('A name holds no braces', { exact: false })).toBeVisible()
  await dialog().getByRole('textbox', { name: 'Name' }).fill('API')
  await dialog().getByRole('button', { name: 'Store' }).click()
  await expect.element(page.getByText('Key stored.')).toBeVisible()
  expect(server.calls(createKey)[0]?.body).toEqual({ name: 'API', value: 's3cret' })
})

test('6 key store, masked: a kept value is not shown and stays unless one is typed', async () => {
  const { server, open } = await givenKeys([KEY])
  await open('/?dialog=key&item=1')
  await expect.element(dialog().getByRole('textbox', { name: 'Value' })).toHaveValue('')
  await dialog().getByRole('textbox', { name: 'Name' }).fill('TOKEN')
  await dialog().getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByText('Key saved.')).toBeVisible()
  expect(server.calls(editKey)[0]?.body).toEqual({ name: 'TOKEN', modified: AT })
})

test('what the server refuses is said in the form', async () => {
  const { server, open } = await givenKeys([KEY])
  const sentence = 'There is already a key named "API".'
  server.on(createKey, () => refuse('conflict', sentence))
  await open('/?dialog=key&item=new')
  await dialog().getByRole('textbox', { name: 'Name' }).fill('API')
  await dialog().getByRole('textbox', { name: 'Value' }).fill('x')
  await dialog().getByRole('button', { name: 'Store' }).click()
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

test('who may only look has no way to change', async () => {
  const { open } = await givenKeys([KEY], {
    is_superuser: false,
    permissions: ['can_view_global_keystore', 'can_list_clients', 'can_list_agents'],
  })
  await open(LIST)
  await expect.element(dialog().getByText('API', { exact: true })).toBeVisible()
  await expect.element(dialog().getByRole('button', { name: 'New key' })).not.toBeInTheDocument()
  await expect.element(dialog().getByRole('button', { name: 'Edit API' })).not.toBeInTheDocument()
})
