import { listScripts } from '@muster/contract/api/scripts'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../testing/test-server.ts'
import { givenDashboard } from './test-dashboard.ts'

test('client-side UI state, agent platform: Windows by default, then that of the selected machine', async () => {
  const { server, open } = await givenDashboard()
  server.on(listScripts, () => answer(listScripts, []))
  const { router } = await open('/?dialog=script&item=new')
  const editor = page.getByRole('dialog', { name: 'New script' })
  const shell = () => editor.getByRole('combobox', { name: 'Shell' })
  await expect.element(shell()).toHaveValue('PowerShell')
  await router.navigate({ to: '/', search: { agent: 'alpha0000000' } })
  await expect.element(page.getByRole('tab', { name: 'Summary' })).toBeVisible()
  await expect.element(page.getByText('Europe/Berlin')).toBeVisible()
  await router.navigate({ to: '/', search: { agent: 'alpha0000000', dialog: 'script', item: 'new' } })
  await expect.element(shell()).toHaveValue('Shell')
})
