import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { listAgents } from '@muster/contract/api/agents'
import { expect, type Page } from '@playwright/test'
import { DIALOG, expectAccessible } from '../support/accessible.ts'
import { follow, machineRow } from '../support/dashboard.ts'
import { PrivateApt } from '../support/private-apt.ts'
import { openPrivatePrograms } from '../support/private-programs.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'
import { LONG_PATIENCE_MS } from '../../tools/patience.ts'

const NAME = 'muster-story-package'
const TOOL = 'muster-story-tool'
/** A machine has its second change by policy this long after the first. */
const MINUTES_BETWEEN_CHANGES = 10

const section = (page: Page, name: string | RegExp) => page.getByRole('region', { name })

test('a package of a real machine is found, on the fleet as well, and its changes stand on the timeline', async ({
  admin,
  server,
  openConsole,
}) => {
  // The first look comes a while after the start, and two consoles follow.
  await using apt = await PrivateApt.open()
  await apt.install(NAME, '1.2')
  await apt.install('muster-story-other', '1.0')
  using programs = openPrivatePrograms(apt.programs)
  const acme = await addClient(admin, 'Acme')
  const token = await makeToken(admin, acme)
  await using _agent = await startAgent({ server: server.url, token, env: programs.env })
  const page = await openConsole({ as: admin })
  await machineRow(page, hostname()).click()
  await page.keyboard.press('Enter')
  await page.getByRole('tab', { name: 'Software' }).click()
  const packages = page.getByRole('grid', { name: 'Software' })
  const own = packages.getByRole('row', { name: NAME })
  const search = page.getByRole('textbox', { name: 'Search software' })
  const scan = page.getByRole('button', { name: 'Scan software' })

  await test.step('the agent reports the installed packages some seconds after its start', async () => {
    await expect(search).toBeVisible({ timeout: LONG_PATIENCE_MS })
    await search.fill(NAME)
    await expect(own).toContainText('1.2')
    await expect(own).toContainText('Muster Tests')
    await expectAccessible(page, 'software of a machine')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download these packages as CSV' }).click()
    const csv = await readFile(await (await download).path(), 'utf8')
    expect(csv).toContain(`"${NAME}","1.2","","Muster Tests"`)
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
    await apt.install(NAME, '1.3')
    await scan.click()
    await expect(own).toContainText('1.3')
    await expect(title).toContainText('1.3 (1)')
    await expect(machine).toContainText('1.3')
    await apt.remove(NAME)
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

test('a package is updated by a job, another one installed and removed, and a policy does both', async ({
  admin,
  server,
  openConsole,
}) => {
  await using apt = await PrivateApt.open()
  await apt.install(NAME, '1.2')
  await apt.install('muster-story-other', '1.0')
  await apt.offer(NAME, '1.3')
  await apt.offer(TOOL, '2.0')
  using programs = openPrivatePrograms(apt.programs)
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  await using agent = await startAgent({ server: server.url, token, env: programs.env })
  const isOnline = async () =>
    (await admin.call(listAgents, { query: {} })).some((row) => 'connected' in row && row.connected)
  let ahead = 0
  const pass = async (minutes: number) => {
    ahead += minutes
    await server.advance(minutes)
  }
  const passWhileOff = async (minutes: number) => {
    await agent.stop()
    await expect.poll(isOnline).toBe(false)
    await pass(minutes)
    agent.aheadMinutes = ahead
    agent.start()
    await expect.poll(isOnline).toBe(true)
    await pass(1)
  }
  const machine = await openConsole({ as: admin })
  await machineRow(machine, hostname()).click()
  await machine.getByRole('tab', { name: 'Software' }).click()
  const row = (name: string) =>
    machine.getByRole('grid', { name: 'Software' }).getByRole('row').filter({ hasText: name })
  const dialog = machine.getByRole('dialog')
  /** Another change is refused before the machine has reported the end of this one. */
  const expectDone = async (where: string) => {
    await expect(dialog.getByRole('status').filter({ hasText: /^done$/ })).toBeVisible()
    await expectAccessible(machine, where, DIALOG)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await expect(dialog).toBeHidden()
  }
  await expect(machine.getByRole('textbox', { name: 'Search software' })).toBeVisible()
  await expect(row(NAME)).toContainText('1.3')

  const page = await openConsole({ as: admin, path: '/software' })
  await test.step('all machines with an older version are updated by a job, which is planned first', async () => {
    await page.getByRole('textbox', { name: 'Search software of all machines' }).fill(NAME)
    await page
      .getByRole('grid', { name: 'Software of all machines' })
      .getByRole('row')
      .filter({ hasText: NAME })
      .click()
    await page.getByRole('button', { name: 'Update all 1' }).click()
    const job = page.getByRole('dialog', { name: 'New job' })
    await expect(job).toContainText(`1 machine with a newer version of ${NAME}`)
    await job.getByRole('button', { name: 'Plan', exact: true }).click()
    await expect(job.getByRole('group', { name: 'Plan' })).toContainText(
      `Upgrade the package ${NAME} on 1 machine`,
    )
    await expectAccessible(page, 'a planned update', DIALOG)
    await job.getByRole('button', { name: 'Start on 1 machine' }).click()
    await expect(page.getByRole('button', { name: /^1 succeeded/ })).toBeVisible()
    await expect(row(NAME)).not.toContainText('1.2')
    expect(await apt.versionOf(NAME)).toBe('1.3')
  })

  await test.step('a package of the package manager is installed by its name', async () => {
    await machine.getByRole('button', { name: 'Install a package' }).click()
    await dialog.getByRole('textbox', { name: 'Package' }).fill(TOOL)
    await expectAccessible(machine, 'the installation of a package', DIALOG)
    await dialog.getByRole('button', { name: 'Install', exact: true }).click()
    await expectDone('an installed package')
    await expect(row(TOOL)).toContainText('2.0')
  })

  await test.step('it is removed from its row', async () => {
    await row(TOOL).click({ button: 'right' })
    await machine.getByRole('menuitem', { name: 'Remove…' }).click()
    await expectAccessible(machine, 'the removal of a package', DIALOG)
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await expectDone('a removed package')
    await expect(row(TOOL)).toBeHidden()
    expect(await apt.versionOf(TOOL)).toBeUndefined()
  })

  await test.step('a policy wants one package and forbids another', async () => {
    await follow(page, '/policies')
    await page.getByRole('button', { name: 'Create policy' }).click()
    await section(page, 'Policy').getByRole('textbox', { name: 'Name' }).fill('Programs')
    const form = page.getByRole('dialog')
    for (const [name, state] of [
      [TOOL, 'Installed, in any version'],
      [NAME, 'Not installed'],
    ] as const) {
      await section(page, 'Software').getByRole('button', { name: 'Add software' }).click()
      await form.getByRole('textbox', { name: 'Package' }).fill(name)
      await form.getByRole('combobox', { name: 'Wanted' }).click()
      await page.getByRole('option', { name: state, exact: true }).click()
      await expectAccessible(page, 'software of a policy', DIALOG)
      await form.getByRole('button', { name: 'Add', exact: true }).click()
    }
    await expect(section(page, 'Software')).toContainText(`${NAME}: not installed`)
    await section(page, 'Assigned to').getByLabel('Clients, sites and machines').fill('acme')
    await page.getByRole('option', { name: 'Acme', exact: true }).click()
    await page.getByRole('button', { name: 'Save this plan' }).click()
    await expect(section(page, 'Applies to 1 machine')).toContainText(hostname())
  })

  await test.step('the machine gets one change after the other, the second when it returns', async () => {
    await pass(1)
    await expect(row(TOOL)).toContainText('2.0')
    await expect(row(NAME)).toContainText('1.3')
    await passWhileOff(MINUTES_BETWEEN_CHANGES)
    await expect(row(NAME)).toBeHidden()
    expect([await apt.versionOf(TOOL), await apt.versionOf(NAME)]).toEqual(['2.0', undefined])
  })

  await test.step('the audit log names each change', async () => {
    await machine.getByRole('tab', { name: 'Audit' }).click()
    for (const change of [
      `upgrade the package ${NAME}`,
      `install the package ${TOOL}`,
      `remove the package ${TOOL}`,
      `install the package ${TOOL} by policy`,
      `remove the package ${NAME} by policy`,
    ])
      await expect(machine.getByText(`Started to ${change} on "${hostname()}"`)).toBeVisible()
  })
  agent.expectCleanLog()
})
