import { appendFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { machineRow } from '../support/dashboard.ts'
import { openPrivatePrograms } from '../support/private-programs.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'
import { expectToast } from '../support/toasts.ts'

function openPrograms() {
  const entry = JSON.stringify({
    __REALTIME_TIMESTAMP: `${Date.now()}000`,
    SYSLOG_IDENTIFIER: 'sshd',
    PRIORITY: '3',
    MESSAGE: 'Failed password for <b>root</b>',
  })
  const programs = openPrivatePrograms({
    shutdown: 'echo "$*" >>"$here/calls"',
    journalctl: `case "$*" in *--follow*) exec tail -f "$here/journal" ;; *) echo '${entry}' ;; esac`,
  })
  const journal = join(programs.folder, 'journal')
  writeFileSync(journal, 'sshd: listening\n')
  return { ...programs, log: (line: string) => appendFileSync(journal, `${line}\n`) }
}

test("an administrator reads and follows a machine's log, then restarts the machine", async ({
  admin,
  server,
  openConsole,
}) => {
  using programs = openPrograms()
  const acme = await addClient(admin, 'Acme')
  const token = await makeToken(admin, acme)
  await using agent = await startAgent({ server: server.url, token, env: programs.env, program: 'bundle' })
  const page = await openConsole({ as: admin })
  await machineRow(page, hostname()).click({ button: 'right' })
  const popup = page.waitForEvent('popup')
  await page.getByRole('menuitem', { name: 'Remote background' }).click()
  const tools = await popup
  await tools.getByRole('tab', { name: 'Logs' }).click()
  const entries = tools.getByRole('grid', { name: 'Log' })
  await expect(entries.getByText('Failed password for <b>root</b>')).toBeVisible()
  await tools.getByText('Live', { exact: true }).click()
  await tools.getByRole('button', { name: 'Follow' }).click()
  const live = tools.getByRole('region', { name: 'Live log' })
  await expect(live.getByText('sshd: listening')).toBeVisible()
  programs.log('sshd: \u001B[2Jaccepted')
  await expect(live.getByText('sshd: ␛[2Jaccepted')).toBeVisible()
  await tools.close()

  await machineRow(page, hostname()).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Power' }).click()
  await page.getByRole('menuitem', { name: 'Reboot later' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Plan reboot' }).click()
  await machineRow(page, hostname()).click()
  const note = page.getByRole('note')
  await expect(note.getByText(/^Restarts /)).toBeVisible()
  await note.getByRole('button', { name: 'Cancel reboot' }).click()
  await expect(note).toBeHidden()

  await machineRow(page, hostname()).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Power' }).click()
  await page.getByRole('menuitem', { name: 'Reboot now' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reboot' }).click()
  await expectToast(page, `${hostname()} is restarting.`)
  expect(programs.calls()).toBe('-r now\n')
  agent.expectCleanLog()
})
