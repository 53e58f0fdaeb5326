import { hostname, tmpdir } from 'node:os'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { listAudit } from '@muster/contract/api/audit'
import { expect, type Page } from '@playwright/test'
import { DIALOG, expectAccessible } from '../support/accessible.ts'
import { machineRow } from '../support/dashboard.ts'
import { TestDisplay } from '../support/display.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'

/** A program in the place of zenity, which answers when a file says what. */
async function givenPerson() {
  const folder = await mkdtemp(join(tmpdir(), 'muster-person-'))
  const answer = join(folder, 'answer')
  const wait = `while [ ! -e '${answer}' ]; do sleep 0.05; done; exit "$(cat '${answer}')"`
  await writeFile(join(folder, 'zenity'), `#!/bin/sh\n${wait}\n`)
  await chmod(join(folder, 'zenity'), 0o755)
  return {
    path: `${folder}${delimiter}${process.env.PATH}`,
    allow: () => writeFile(answer, '0'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

async function choose(page: Page, label: string, option: string) {
  await machineRow(page, hostname()).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Manage' }).click()
  await page.getByRole('menuitem', { name: 'Remote access' }).click()
  const dialog = page.getByRole('dialog', { name: `Remote access to ${hostname()}` })
  await dialog.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).click()
  await expectAccessible(page, `remote access: ${option}`, DIALOG)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
}

test('a terminal waits for consent on the machine, and is refused once remote access is disabled', async ({
  admin,
  server,
  openConsole,
}) => {
  await using display = await TestDisplay.open()
  await using person = await givenPerson()
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  await using agent = await startAgent({
    server: server.url,
    token,
    env: { DISPLAY: display.name, PATH: person.path },
  })
  expect(agent).toBeDefined()
  const page = await openConsole({ as: admin })
  await choose(page, 'Person at the machine', 'Consent required')

  await machineRow(page, hostname()).click({ button: 'right' })
  const [window] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('menuitem', { name: 'Remote background' }).click(),
  ])
  const status = window.getByRole('status')
  await expect(status.filter({ hasText: `Waiting for consent at ${hostname()}` })).toBeVisible()
  await person.allow()
  await expect(status.filter({ hasText: /^In \/.+ as \w+ on / })).toBeVisible()

  await choose(page, 'Remote tools', 'Forbidden')
  await expect(window.getByText('Remote tools are disabled on this machine.')).toBeVisible()
  await window.reload()
  await expect(window.getByText('Remote tools are disabled on this machine.').first()).toBeVisible()
  await expect
    .poll(async () => {
      const body = { actionFilter: ['remote_session' as const] }
      return (await admin.call(listAudit, { body })).audit_logs.map(({ message }) => message)
    })
    .toEqual([
      expect.stringMatching(/^Failed to open the terminal on ".+": refused by the machine$/),
      expect.stringMatching(/^Opened a terminal on "/),
      expect.stringMatching(/^Ended the terminal on ".+" after \d+ (s|min)/),
      expect.stringMatching(/^Opened a terminal on "/),
    ])
})
