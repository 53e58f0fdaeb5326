import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { expect } from '@playwright/test'
import { expectAccessible } from '../support/accessible.ts'
import { machineRow } from '../support/dashboard.ts'
import { PrivateDpkg } from '../support/private-dpkg.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'

const NAME = 'muster-story-package'

test('a package of a real machine is found, on the fleet as well, and its changes stand on the timeline', async ({
  admin,
  server,
  openConsole,
}) => {
  // The first look comes a while after the start, and two consoles follow.
  test.setTimeout(120_000)
  await using dpkg = await PrivateDpkg.open()
  await dpkg.install(NAME, '1.2')
  const acme = await addClient(admin, 'Acme')
  const token = await makeToken(admin, acme)
  await using _agent = await startAgent({ server: server.url, token, env: dpkg.env })
  const page = await openConsole({ as: admin })
  await machineRow(page, hostname()).click()
  await page.keyboard.press('Enter')
  await page.getByRole('tab', { name: 'Software' }).click()
  const packages = page.getByRole('grid', { name: 'Software' })
  const own = packages.getByRole('row', { name: NAME })
  const search = page.getByRole('textbox', { name: 'Search software' })
  const scan = page.getByRole('button', { name: 'Scan software' })

  await test.step('the agent reports the installed packages some seconds after its start', async () => {
    await expect(search).toBeVisible({ timeout: 45_000 })
    await search.fill(NAME)
    await expect(own).toContainText('1.2')
    await expect(own).toContainText('Muster Tests')
    await expectAccessible(page, 'software of a machine')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download these packages as CSV' }).click()
    const csv = await readFile(await (await download).path(), 'utf8')
    expect(csv).toContain(`"${NAME}","1.2","Muster Tests"`)
  })

  await test.step('a scan finds an update and a removal, and open screens follow', async () => {
    const colleague = await openConsole({ as: admin, path: '/software' })
    await colleague.getByRole('textbox', { name: 'Search software of all machines' }).fill(NAME)
    const title = colleague
      .getByRole('grid', { name: 'Software of all machines' })
      .getByRole('row', { name: NAME })
    await expect(title).toContainText('1.2 (1)')
    await title.click()
    const machine = colleague.getByRole('grid', { name: 'Machines' }).getByRole('row', { name: hostname() })
    await expect(machine).toContainText('1.2')
    await expectAccessible(colleague, 'software of all machines')
    await dpkg.install(NAME, '1.3')
    await scan.click()
    await expect(own).toContainText('1.3')
    await expect(title).toContainText('1.3 (1)')
    await expect(machine).toContainText('1.3')
    await dpkg.remove(NAME)
    await scan.click()
    await expect(page.getByText('No packages match the search.')).toBeVisible()
    await expect(colleague.getByText('No machines with this package any more.')).toBeVisible()
    await expect(colleague.getByText(`No packages match "${NAME}".`)).toBeVisible()
  })

  await test.step('the timeline and the audit log say it', async () => {
    await page.getByRole('tab', { name: 'Metrics' }).click()
    await page.getByText('1 h', { exact: true }).click()
    await expect(page.getByText(`Software: updated ${NAME} 1.2 → 1.3`)).toBeVisible()
    await expect(page.getByText(`Software: removed ${NAME} 1.3`)).toBeVisible()
    await page.getByRole('tab', { name: 'Audit' }).click()
    await expect(page.getByText('Refreshed the list of software').first()).toBeVisible()
  })
})
