import { type KeyStoreEntry, listKeyStore, MASKED_VALUE } from '@muster/contract/api/keystore'
import type { Me } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { givenDashboard } from '../../features/dashboard/test-dashboard.ts'
import { answer } from '../../testing/test-server.ts'

const AT = '2026-11-21T10:00:00.000Z'

async function openKeys(count: number, me: Partial<Me> = {}) {
  const { server, open } = await givenDashboard({ me })
  const keys = Array.from({ length: count }, (_, index): KeyStoreEntry => ({
    id: index + 1,
    name: `Key${index + 1}`,
    value: MASKED_VALUE,
    roles: null,
    created_at: AT,
    modified: AT,
  }))
  const { promise: isAsked, resolve: respond } = Promise.withResolvers<void>()
  server.on(listKeyStore, async () => {
    await isAsked
    return answer(listKeyStore, keys)
  })
  await open('/?dialog=keystore')
  await expect.element(page.getByRole('dialog', { name: 'Key store' })).toBeVisible()
  respond()
}

test('an empty list opens with the focus on the button that creates an item', async () => {
  await openKeys(0)
  await expect.element(page.getByRole('button', { name: 'New key' })).toHaveFocus()
})

test('a short list opens with the focus on its first row', async () => {
  await openKeys(3)
  const first = page.getByRole('listitem').first()
  await expect.element(first.getByText('Key1', { exact: true })).toBeVisible()
  await expect.poll(() => first.element().contains(document.activeElement)).toBe(true)
  await expect.element(page.getByRole('textbox', { name: 'Search key store' })).not.toBeInTheDocument()
})

test('a long list opens with the focus on its search, which finds rows', async () => {
  await openKeys(9)
  const search = page.getByRole('textbox', { name: 'Search key store' })
  await expect.element(search).toHaveFocus()
  await search.fill('key8')
  await expect.element(page.getByRole('button', { name: 'Edit Key1' })).not.toBeInTheDocument()
  await expect.element(page.getByRole('button', { name: 'Edit Key8' })).toBeVisible()
  await search.fill('key77')
  await expect.element(page.getByText('No items match the search.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear search' }).click()
  await expect.element(page.getByRole('button', { name: 'Edit Key1' })).toBeVisible()
})

test('a list without any control does not focus Close', async () => {
  await openKeys(2, {
    is_superuser: false,
    permissions: ['can_view_global_keystore', 'can_list_agents', 'can_list_clients'],
  })
  await expect.element(page.getByText('Key2')).toBeVisible()
  const dialog = page.getByRole('dialog', { name: 'Key store' })
  await expect.poll(() => dialog.element().contains(document.activeElement)).toBe(true)
  for (const close of dialog.getByRole('button', { name: 'Close' }).elements()) {
    expect(document.activeElement).not.toBe(close)
  }
})
