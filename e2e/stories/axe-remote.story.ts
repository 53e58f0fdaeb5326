import { listAgents } from '@muster/contract/api/agents'
import { savePreferences } from '@muster/contract/api/users'
import { expect } from '@playwright/test'
import { TWO_LOOKS, expectAccessible, expectSettled, nameOf } from '../support/accessible.ts'
import { pretendRegistry } from '../support/pretend-registry.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'

for (const look of TWO_LOOKS) {
  test(`the Remote Background window has no accessibility violations, ${nameOf(look)}`, async ({
    admin,
    server,
    openConsole,
  }) => {
    test.setTimeout(200_000)
    await admin.call(savePreferences, { body: { dark_mode: look.colorScheme === 'dark' } })
    const token = await makeToken(admin, await addClient(admin, 'Acme'))
    await using agent = await startAgent({ server: server.url, token })
    await expect.poll(async () => (await admin.call(listAgents, { query: {} })).length).toBe(1)
    const [machine] = await admin.call(listAgents, { query: {} })
    const path = `/remotebackground/${machine?.agent_id ?? ''}`
    const page = await openConsole({ ...look, as: admin, path })
    const lookAt = async (where: string) => {
      await expectSettled(page)
      await expectAccessible(page, where)
    }

    await expect(page.getByRole('status').filter({ hasText: /^In \// })).toBeVisible({ timeout: 30_000 })
    await expect(page.locator('.xterm-rows')).toContainText(/[$#] *$/)
    await page.keyboard.type('printf "\\033[31mred\\033[0m \\033[1;34mblue\\033[0m\\n"; exit\n')
    await expect(page.getByText('The shell has ended. Exit code 0.')).toBeVisible()
    await lookAt('terminal')
    await page.getByRole('tab', { name: 'Processes' }).click()
    await expect(page.getByRole('grid', { name: 'Processes' })).toContainText('node')
    await lookAt('processes')
    await page.getByRole('tab', { name: 'Files' }).click()
    await page.getByRole('grid', { name: 'Files' }).getByText('etc', { exact: true }).dblclick()
    await expect(page.getByRole('button', { name: 'etc', exact: true })).toHaveAttribute('aria-current')
    await lookAt('files')
    await page.getByRole('tab', { name: 'Logs' }).click()
    await expect(page.getByRole('grid', { name: 'Log' }).or(page.getByRole('alert'))).toBeVisible()
    await lookAt('logs')
    await page.getByRole('tab', { name: 'Sessions' }).click()
    await expect(page.getByRole('grid', { name: 'Sessions' })).toContainText('admin')
    await lookAt('sessions')
    await page.getByRole('button', { name: /^Play the recording of admin/ }).click()
    const player = page.getByRole('dialog')
    await player.getByRole('searchbox').fill('red blue')
    await player.getByRole('searchbox').press('Enter')
    await expect(player.locator('.xterm-rows')).toContainText('red blue')
    await lookAt('recording')
    await page.keyboard.press('Escape')
    // The machine looks for it at the lowest priority, once what else it does leaves room.
    const changes = page.getByRole('button', { name: /^(no|\d+) changes? in the session of admin/ })
    await changes.click({ timeout: 90_000 })
    await expect(player.getByRole('region', { name: 'Listening ports' })).toBeVisible()
    await lookAt('receipt')
    await page.keyboard.press('Escape')

    await page.getByRole('tab', { name: 'Terminal' }).click()
    await page.getByRole('button', { name: 'New tab' }).click()
    await expect(
      page
        .getByRole('status')
        .filter({ hasText: /^In \// })
        .first(),
    ).toBeVisible()
    const search = page.getByRole('button', { name: 'Search' })
    // The tab that was left is hidden a moment later.
    await expect(search).toHaveCount(1)
    await search.click()
    await page.getByRole('button', { name: /^Shell: / }).click()
    await expect(page.getByRole('menuitem', { name: /\(default\)/ })).toBeVisible()
    await lookAt('terminal-shells')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Copy, appearance and keys' }).click()
    await lookAt('terminal-menu')
    await page.goto(`/?dialog=side-by-side&item=agent-${machine?.agent_id ?? ''}`)
    const choice = page.getByRole('dialog', { name: 'Terminals side by side' })
    await expect(choice.getByRole('checkbox')).toBeChecked()
    await lookAt('side-by-side')
    await page.goto(`/terminals?agents=${machine?.agent_id ?? ''}`)
    await page.getByText('Selected together').click()
    await expect(page.getByRole('status').filter({ hasText: /^In \// })).toBeVisible()
    await lookAt('terminals-together')
    await pretendRegistry(page, machine?.agent_id ?? '')
    await page.goto(`${path}?tool=registry`)
    await page.getByRole('button', { name: 'Open HKEY_LOCAL_MACHINE' }).click()
    await page.getByRole('button', { name: 'SYSTEM', exact: true }).click()
    await expect(page.getByRole('grid', { name: 'Values' })).toContainText('ImagePath')
    await lookAt('registry')
    // One may just be on its way, and ends with the page.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    agent.expectCleanLog()
  })
}
