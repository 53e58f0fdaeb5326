import { hostname } from 'node:os'
import { listAgents } from '@muster/contract/api/agents'
import { expect, type Page } from '@playwright/test'
import { expectAccessible } from '../support/accessible.ts'
import { follow, machineRow } from '../support/dashboard.ts'
import { TestDisplay } from '../support/display.ts'
import { PrivateApt } from '../support/private-apt.ts'
import { openPrivatePrograms } from '../support/private-programs.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'

const section = (page: Page, name: string | RegExp) => page.getByRole('region', { name })
const patch = (page: Page, name: string) =>
  page.getByRole('grid', { name: 'Patches' }).getByRole('row', { name })
const MINUTES_UNTIL_INSTALLATION = 10
const MINUTES_UNTIL_RETRY = 15

/** The agent sees a signed-in user, who answers each warning with the first button. */
const SESSIONS = `mount -t tmpfs sessions /run/systemd/sessions
printf 'USER=anna\\nACTIVE=1\\nSTATE=active\\nTYPE=tty\\nCLASS=user\\n' > /run/systemd/sessions/c7
exec "$@"`
const WITHIN_SESSIONS = ['unshare', '--mount', 'sh', '-ec', SESSIONS, 'sh']

const NOTE = 'echo "$(basename "$0") $*" >>"$here/calls"'

/** `14:05` by the clock of this machine. */
function timeIn(minutes: number): string {
  const at = new Date(Date.now() + minutes * 60_000)
  return [at.getHours(), at.getMinutes()].map((part) => `${part}`.padStart(2, '0')).join(':')
}

test('a policy approves patches, installs them after a failure, and the user postpones the restart', async ({
  admin,
  server,
  openConsole,
}) => {
  await using apt = await PrivateApt.open()
  await apt.install('muster-base', '1.0')
  await apt.install('muster-extra', '1.0')
  await apt.offer('muster-base', '2.0', 'security')
  await apt.offer('muster-extra', '2.0')
  await apt.loseFile('muster-extra', '2.0')
  using programs = openPrivatePrograms({ ...apt.programs, shutdown: NOTE, wall: NOTE, zenity: NOTE })
  await using display = await TestDisplay.open({ command: null })
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  await using agent = await startAgent({
    server: server.url,
    token,
    within: WITHIN_SESSIONS,
    env: { ...programs.env, DISPLAY: display.name },
  })
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
  await machine.getByRole('tab', { name: 'Patches' }).click()
  const note = machine.getByRole('note', { name: 'Patch policy' })
  await expect(note).toContainText('No patch policy.')

  const page = await openConsole({ as: admin, path: '/policies' })
  const compliance = page.getByRole('list', { name: 'Compliance' })
  await test.step('a policy approves security updates, installs every day, and restarts after a warning', async () => {
    await page.getByRole('button', { name: 'Create policy' }).click()
    await section(page, 'Policy').getByRole('textbox', { name: 'Name' }).fill('Updates')
    await section(page, 'Patches').getByRole('button', { name: 'Set up' }).click()
    const dialog = page.getByRole('dialog')
    const part = (name: string) => dialog.getByRole('group', { name })
    for (const name of ['Approval', 'Schedule', 'Restart'])
      await part(name).getByRole('checkbox', { name, exact: true }).check()
    await part('Approval').getByRole('textbox', { name: 'Security, without severity, days' }).fill('0')
    for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Sunday'])
      await part('Schedule').getByRole('checkbox', { name: day }).check()
    await part('Schedule').getByLabel('Time', { exact: true }).fill(timeIn(MINUTES_UNTIL_INSTALLATION))
    await part('Restart').getByRole('checkbox', { name: 'Only if the patches need it' }).uncheck()
    await part('Restart').getByRole('textbox', { name: 'Message to the user' }).fill('Please save your work.')
    await expectAccessible(page, 'a patch policy', '[role=dialog]')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await expect(section(page, 'Patches')).toContainText('warn the user 15 minutes before')
    await section(page, 'Assigned to').getByLabel('Clients, sites and machines').fill('acme')
    await page.getByRole('option', { name: 'Acme', exact: true }).click()
    await page.getByRole('button', { name: 'Save this plan' }).click()
    await expect(section(page, 'Applies to 1 machine')).toContainText(hostname())
  })

  await test.step('a scan finds both patches, and the policy approves one of them', async () => {
    await machine.getByRole('button', { name: 'Start scan' }).click()
    await expect(patch(machine, 'muster-extra')).toContainText('1.0 → 2.0')
    await pass(1)
    await expect(patch(machine, 'muster-base')).toContainText('Approved by policy')
    await expect(note).toContainText('Next installation')
  })

  await test.step('the other one is approved for all machines', async () => {
    await follow(page, '/patches')
    await expect(compliance).toContainText('0 of 1 scanned machines up to date')
    await page.getByRole('combobox', { name: 'Decision' }).click()
    await page.getByRole('option', { name: 'Undecided' }).click()
    await page.getByRole('checkbox', { name: 'Select muster-extra' }).check()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await expect(page.getByText('Approved on 1 machine.')).toBeVisible()
    await expect(patch(machine, 'muster-extra')).toContainText('Approved')
  })

  await test.step('a machine that was off at the time installs when it returns, fails, and the page says why', async () => {
    await passWhileOff(MINUTES_UNTIL_INSTALLATION)
    await page.getByRole('button', { name: 'Show failures' }).click()
    await expect(page.getByRole('list', { name: 'Failures' })).toContainText('Failed to download packages')
    expect(await apt.versionOf('muster-base')).toBe('1.0')
    await expectAccessible(page, 'failed patches')
    await pass(1)
    await expect(note).toContainText('running. Failed to download packages')
  })

  await test.step('the policy tries again, and the machine is up to date', async () => {
    await apt.offer('muster-extra', '2.0')
    await passWhileOff(MINUTES_UNTIL_RETRY)
    await expect(compliance).toContainText('1 of 1 scanned machines up to date (100 %)')
    await expect(page.getByText(/^No failures/)).toBeVisible()
    expect([await apt.versionOf('muster-base'), await apt.versionOf('muster-extra')]).toEqual(['2.0', '2.0'])
  })

  await test.step('the user is warned of the restart, and postpones it', async () => {
    await pass(1)
    await expect(note).not.toContainText('Failed to download')
    await pass(2)
    await expect(note).toContainText('A restart is planned, and the user is warned.')
    await machine.getByRole('tab', { name: 'Summary' }).click()
    await expect(machine.getByText(/planned by server.*Postponed once by the user\./)).toBeVisible()
    expect(programs.calls()).toContain('Please save your work.')
    expect(programs.calls()).not.toContain('shutdown')
  })
  agent.expectCleanLog()
})
