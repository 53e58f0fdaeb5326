import { listAgents } from '@muster/contract/api/agents'
import { expect, type Page } from '@playwright/test'
import {
  DIALOG,
  FIRST_LOOK,
  LOOKS,
  expectAccessible,
  expectAccessibleInAllLooks,
  expectSettled,
  nameOf,
  wear,
} from '../support/accessible.ts'
import { TestDisplay } from '../support/display.ts'
import { pretendRegistry } from '../support/pretend-registry.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'
import { LONG_PATIENCE_MS } from '../../tools/patience.ts'

test('the windows that work on a machine have no accessibility violations', async ({
  admin,
  server,
  openConsole,
}) => {
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  await using display = await TestDisplay.open()
  await using agent = await startAgent({ server: server.url, token, env: { DISPLAY: display.name } })
  await expect.poll(async () => (await admin.call(listAgents, { query: {} })).length).toBe(1)
  const [machine] = await admin.call(listAgents, { query: {} })
  const agentId = machine?.agent_id ?? ''
  const path = `/remotebackground/${agentId}`
  const page = await openConsole({ ...FIRST_LOOK, as: admin, path })
  await test.step('Remote Background', () => expectTools(page))
  await test.step('terminals', () => expectTerminals(page, agentId))
  await test.step('the registry', async () => {
    await pretendRegistry(page, agentId)
    await page.goto(`${path}?tool=registry`)
    await page.getByRole('button', { name: 'Open HKEY_LOCAL_MACHINE' }).click()
    await page.getByRole('button', { name: 'SYSTEM', exact: true }).click()
    await expectAccessibleInAllLooks(page, 'registry', 'ImagePath')
    // One may just be on its way, and ends with the page.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
  await test.step('Take Control', () => expectDesktop(page, agentId))
  agent.expectCleanLog()
})

const inFolder = (page: Page) => page.getByRole('status').filter({ hasText: /^In \// })

async function expectTools(page: Page): Promise<void> {
  await expect(inFolder(page)).toBeVisible()
  await expect(page.locator('.xterm-rows')).toContainText(/[$#] *$/)
  await page.keyboard.type('printf "\\033[31mred\\033[0m \\033[1;34mblue\\033[0m\\n"; exit\n')
  await expectAccessibleInAllLooks(page, 'terminal', 'The shell has ended. Exit code 0.')
  await page.getByRole('tab', { name: 'Processes' }).click()
  await expect(page.getByRole('grid', { name: 'Processes' })).toContainText('node')
  await expectAccessibleInAllLooks(page, 'processes', 'node')
  await page.getByRole('tab', { name: 'Files' }).click()
  await page.getByRole('grid', { name: 'Files' }).getByText('etc', { exact: true }).dblclick()
  await expect(page.getByRole('button', { name: 'etc', exact: true })).toHaveAttribute('aria-current')
  await expectAccessibleInAllLooks(page, 'files', /in this folder$/)
  await page.getByRole('tab', { name: 'Logs' }).click()
  const log = page.getByRole('grid', { name: 'Log' }).or(page.getByRole('alert'))
  await expect(log).toBeVisible()
  await expectAccessibleInAllLooks(page, 'logs', 'Logs')
  await page.getByRole('tab', { name: 'Sessions' }).click()
  await expect(page.getByRole('grid', { name: 'Sessions' })).toContainText('admin')
  await expectAccessibleInAllLooks(page, 'sessions', 'admin')
  await page.getByRole('button', { name: /^Play the recording of admin/ }).click()
  const player = page.getByRole('dialog')
  await player.getByRole('searchbox').fill('red blue')
  await player.getByRole('searchbox').press('Enter')
  await expect(player.locator('.xterm-rows')).toContainText('red blue')
  await expectAccessibleInAllLooks(page, 'recording', 'red blue', DIALOG)
  await page.keyboard.press('Escape')
  // The machine looks for it at the lowest priority, once what else it does leaves room.
  const changes = page.getByRole('button', { name: /^(no|\d+) changes? in the session of admin/ })
  await changes.click({ timeout: LONG_PATIENCE_MS })
  await expect(player.getByRole('region', { name: 'Listening ports' })).toBeVisible()
  await expectAccessibleInAllLooks(page, 'receipt', 'Listening ports', DIALOG)
  await page.keyboard.press('Escape')
}

async function expectTerminals(page: Page, agentId: string): Promise<void> {
  await page.getByRole('tab', { name: 'Terminal' }).click()
  await page.getByRole('button', { name: 'New tab' }).click()
  await expect(inFolder(page).first()).toBeVisible()
  const search = page.getByRole('button', { name: 'Search' })
  // The tab that was left is hidden a moment later.
  await expect(search).toHaveCount(1)
  await search.click()
  for (const look of LOOKS) {
    await wear(page, look)
    await page.getByRole('button', { name: /^Shell: / }).click()
    await expect(page.getByRole('menuitem', { name: /\(default\)/ })).toBeVisible()
    await expectSettled(page)
    await expectAccessible(page, `terminal-shells (${nameOf(look)})`)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Copy, appearance and keys' }).click()
    await expectSettled(page)
    await expectAccessible(page, `terminal-menu (${nameOf(look)})`)
    await page.keyboard.press('Escape')
  }
  await page.goto(`/?dialog=side-by-side&item=agent-${agentId}`)
  const choice = page.getByRole('dialog', { name: 'Terminals side by side' })
  await expect(choice.getByRole('checkbox')).toBeChecked()
  await expectAccessibleInAllLooks(page, 'side-by-side', 'Up to', DIALOG)
  await page.goto(`/terminals?agents=${agentId}`)
  await page.getByText('Selected together').click()
  await expect(inFolder(page)).toBeVisible()
  await expectAccessibleInAllLooks(page, 'terminals-together', 'Selected together')
}

async function expectDesktop(page: Page, agentId: string): Promise<void> {
  await page.goto(`/takecontrol/${agentId}`)
  const screen = page.getByRole('application', { name: 'Screen of the machine' })
  await expect(screen).toBeFocused()
  await page.keyboard.type('ls -l /\n')
  for (const look of LOOKS) {
    const lookAt = async (where: string) => {
      await expectSettled(page)
      await expectAccessible(page, `${where} (${nameOf(look)})`)
    }
    await wear(page, look)
    await lookAt('desktop')
    await page.getByRole('button', { name: 'Clipboard' }).click()
    await expect(page.getByRole('textbox', { name: "Text on the machine's clipboard" })).toBeVisible()
    await lookAt('clipboard')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Keys' }).click()
    await expect(page.getByRole('menuitem', { name: 'Ctrl+Alt+Del' })).toBeVisible()
    await lookAt('keys')
    await page.keyboard.press('Escape')
  }
  await page.getByRole('button', { name: 'End session' }).click()
  await expectAccessibleInAllLooks(page, 'ended', 'You ended the session.')
}
