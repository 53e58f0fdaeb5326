import { listAgents } from '@muster/contract/api/agents'
import { savePreferences } from '@muster/contract/api/users'
import { expect } from '@playwright/test'
import { TWO_LOOKS, expectAccessible, expectSettled, nameOf } from '../support/accessible.ts'
import { TestDisplay } from '../support/display.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'

for (const look of TWO_LOOKS) {
  test(`the Take Control window has no accessibility violations, ${nameOf(look)}`, async ({
    admin,
    server,
    openConsole,
  }) => {
    test.setTimeout(120_000)
    await admin.call(savePreferences, { body: { dark_mode: look.colorScheme === 'dark' } })
    const token = await makeToken(admin, await addClient(admin, 'Acme'))
    await using display = await TestDisplay.open()
    await using agent = await startAgent({ server: server.url, token, env: { DISPLAY: display.name } })
    await expect.poll(async () => (await admin.call(listAgents, { query: {} })).length).toBe(1)
    const [machine] = await admin.call(listAgents, { query: {} })
    const page = await openConsole({ ...look, as: admin, path: `/takecontrol/${machine?.agent_id ?? ''}` })
    const lookAt = async (where: string) => {
      await expectSettled(page)
      await expectAccessible(page, where)
    }

    const screen = page.getByRole('application', { name: 'Screen of the machine' })
    await expect(screen).toBeFocused({ timeout: 30_000 })
    await page.keyboard.type('ls -l /\n')
    await lookAt('desktop')
    await page.getByRole('button', { name: 'Clipboard' }).click()
    await expect(page.getByRole('textbox', { name: "Text on the machine's clipboard" })).toBeVisible()
    await lookAt('clipboard')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Keys' }).click()
    await expect(page.getByRole('menuitem', { name: 'Ctrl+Alt+Del' })).toBeVisible()
    await lookAt('keys')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'End session' }).click()
    await expect(page.getByText('You ended the session.')).toBeVisible()
    await lookAt('ended')
    agent.expectCleanLog()
  })
}
