import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listChecks } from '@muster/contract/api/checks'
import { listPolicies } from '@muster/contract/api/policies'
import { expect, type Page } from '@playwright/test'
import { expectAccessibleInAllLooks, FIRST_LOOK } from '../support/accessible.ts'
import { CodeApp } from '../support/code-app.ts'
import { PastedLine } from '../support/pasted-line.ts'
import { startMailReceiver } from '../support/receivers.ts'
import { signIn } from '../support/sign-in.ts'
import { sendPassword } from '../support/sign-in-page.ts'
import { test } from '../support/story.ts'

const step = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })

// From the first sign-in on: a real agent, and a real mail server.
test('the first hour: from the setup to four steps done, each with one action', async ({
  server,
  openConsole,
}) => {
  const page = await openConsole({ ...FIRST_LOOK, path: '/login' })
  const folder = await mkdtemp(join(tmpdir(), 'muster-first-hour-'))
  await using mail = await startMailReceiver()

  const admin =
    await test.step('two-factor sign-in is set up, its recovery codes are shown, and the session goes on', async () => {
      await sendPassword(page, server.admin)
      const app = new CodeApp(await page.getByText(/^([A-Z2-7]{4} ?){4,}$/).innerText())
      await page.getByRole('textbox', { name: 'Code' }).fill(app.nextCode())
      const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
      await expect(codes).toHaveCount(10)
      const recoveryCode = await codes.first().innerText()
      await expectAccessibleInAllLooks(page, 'the recovery codes', 'Save your recovery codes')
      await page.getByRole('button', { name: 'Continue' }).click()
      return signIn(server.url, { ...server.admin, recoveryCode })
    })

  await test.step('the setup ends with a link to the first steps', async () => {
    await page.getByRole('textbox', { name: 'Client' }).fill('Acme Dental')
    await page.getByRole('textbox', { name: 'Site' }).fill('Berlin HQ')
    await page.getByRole('button', { name: 'Finish' }).click()
    await page.getByRole('button', { name: 'Show first steps' }).click()
    await expect(page).toHaveURL('/overview')
    await expect(page.getByText('0 of 4 done')).toBeVisible()
    await expectAccessibleInAllLooks(page, 'the first steps', '0 of 4 done')
  })

  const line = await test.step('the dialog explains address and TLS, then makes the command', async () => {
    await step(page, 'Connect a second machine').getByRole('button', { name: 'Install agent' }).click()
    const dialog = page.getByRole('dialog', { name: 'Install agent' })
    await expect(dialog.getByText('Other machines cannot reach this server yet')).toBeVisible()
    await expect(dialog.getByText('MUSTER_HOST=0.0.0.0')).toBeVisible()
    await dialog.getByText('Linux', { exact: true }).click()
    await dialog.getByRole('radio', { name: 'Server' }).check()
    await dialog.getByRole('checkbox', { name: /Test mode/ }).check()
    await dialog.getByRole('textbox', { name: 'Data folder' }).fill(join(folder, 'agent'))
    await dialog.getByRole('button', { name: 'Create install command' }).click()
    const command = dialog.getByRole('group', { name: 'Install command' })
    await expect(command).toContainText('curl')
    return command.getByRole('code').innerText()
  })
  await using _pasted = new PastedLine(line)
  await test.step('the second machine ticks the first step', async () => {
    const dialog = page.getByRole('dialog', { name: 'Install agent' })
    await expect(dialog).toContainText(/is here/)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await expect(page.getByText('1 of 4 done')).toBeVisible()
    await expect(step(page, 'Connect a second machine').getByRole('button')).toHaveCount(0)
  })

  await test.step('a recommended policy is created after its plan was shown', async () => {
    await step(page, 'Assign a policy').getByRole('button', { name: 'Choose policy' }).click()
    await page.getByRole('button', { name: 'Review and create Recommended for servers' }).click()
    const plan = page.getByRole('dialog', { name: 'Create the policy Recommended for servers?' })
    await expect(plan.getByRole('row', { name: /Disk space of every fixed disk/ })).toBeVisible()
    expect(await admin.call(listPolicies, { query: {} }), 'before the save').toEqual([])
    await plan.getByRole('button', { name: 'Save' }).click()
    await expect(plan).toBeHidden()
    const dialog = page.getByRole('dialog', { name: 'Recommended policies' })
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await expect(dialog).toBeHidden()
    await expect(page.getByText('2 of 4 done')).toBeVisible()
  })

  await test.step('its check of every disk runs on the machine and names the fullest one', async () => {
    const disks = async () =>
      (await admin.call(listChecks, { query: {} }))
        .filter(({ settings }) => settings.check_type === 'diskspace')
        .map(({ check_result }) => check_result.more_info)
    await expect.poll(disks).toContainEqual(expect.stringMatching(/^\/.*: .* free/))
  })

  await test.step('a mail channel with a test message', async () => {
    await step(page, 'Get notified of alerts').getByRole('button', { name: 'Add channel' }).click()
    await page.getByRole('button', { name: 'New channel' }).click()
    await page.getByRole('menuitem', { name: 'E-mail' }).click()
    const dialog = page.getByRole('dialog', { name: /New alert channel/ })
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Operations')
    await dialog.getByRole('textbox', { name: 'Recipients 1' }).fill('ops@example.com')
    await dialog.getByRole('textbox', { name: 'From', exact: true }).fill('muster@example.com')
    await dialog.getByRole('textbox', { name: 'Mail server' }).fill('127.0.0.1')
    await dialog.getByRole('textbox', { name: 'Port' }).fill(String(mail.port))
    await choose(page, 'Encryption', 'None')
    await choose(page, 'Sign-in', 'None')
    await dialog.getByRole('button', { name: 'Send test message' }).click()
    await expect(dialog.getByText(/^Sent after/)).toBeVisible()
    expect(mail.mails.join('\n')).toContain('This is a test of Muster.')
    await dialog.getByRole('button', { name: 'Add channel' }).click()
    await page
      .getByRole('dialog', { name: 'Alert channels' })
      .getByRole('button', { name: 'Close' })
      .last()
      .click()
    await expect(page.getByText('3 of 4 done')).toBeVisible()
  })

  await test.step('a colleague: all is done, and a later visit shows no first steps', async () => {
    await step(page, 'Invite a colleague').getByRole('button', { name: 'Invite user' }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite user' })
    await choose(page, 'Role', 'Technician')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    const link = await page.getByRole('group', { name: 'Invitation link' }).locator('code').innerText()
    for (const name of ['Send this link', 'Invitations'])
      await page.getByRole('dialog', { name }).getByRole('button', { name: 'Close' }).last().click()
    const eve = await openConsole({ path: link.replace(/^https?:\/\/[^/]+/, '') })
    await eve.getByRole('textbox', { name: 'User name' }).fill('eve')
    await eve.getByLabel('Password', { exact: true }).fill('battery of staples')
    await eve.getByRole('button', { name: 'Create account' }).click()
    await expect(eve).toHaveURL('/totp_setup')
    await expect(page.getByText('All done')).toBeVisible()
    await page.reload()
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByText(/machines connected/)).toBeVisible()
    await expect(page.getByRole('heading', { name: 'First steps' })).toHaveCount(0)
  })
  await rm(folder, { recursive: true, force: true })
})

async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: field }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
