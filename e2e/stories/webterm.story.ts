import { hostname } from 'node:os'
import { editCoreSettings } from '@muster/contract/api/settings'
import { expect } from '@playwright/test'
import { chooseInMenu } from '../support/dashboard.ts'
import { addClient } from '../support/seed.ts'
import { test } from '../support/story.ts'

test('a superuser opens a shell of the server from the menu, and plays its recording', async ({
  admin,
  openConsole,
}) => {
  await addClient(admin, 'Acme')
  const dashboard = await openConsole({ as: admin })
  await admin.call(editCoreSettings, { body: { enable_server_webterminal: true } })
  const [window] = await Promise.all([
    dashboard.context().waitForEvent('page'),
    chooseInMenu(dashboard, 'Tools', 'Web terminal'),
  ])
  const status = window.getByRole('status').filter({ hasText: new RegExp(`^In /.+ on ${hostname()}\\.`) })
  await expect(status).toBeVisible()
  await window.keyboard.type('echo "sum $((20 + 22))"; env | grep -c MUSTER_')
  await window.keyboard.press('Enter')
  await expect(window.locator('.xterm-rows')).toContainText(/sum 42\s*0/)
  await window.keyboard.type('exit 0')
  await window.keyboard.press('Enter')
  await expect(
    window.getByRole('status').filter({ hasText: 'The shell has ended. Exit code 0.' }),
  ).toBeVisible()
  await window.getByRole('tab', { name: 'Sessions' }).click()
  await window.getByRole('button', { name: /^Play the recording of/ }).click()
  const player = window.getByRole('dialog', { name: /^Recording: admin on / })
  await player.getByRole('button', { name: 'Play' }).click()
  await expect(player.locator('.xterm-rows')).toContainText('sum 42')
})
