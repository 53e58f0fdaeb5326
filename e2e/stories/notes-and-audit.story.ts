import { editClient } from '@muster/contract/api/clients'
import { expect } from '@playwright/test'
import { chooseInMenu } from '../support/dashboard.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { test } from '../support/story.ts'

test('a note is written, changed and deleted, and a colleague sees each at once', async ({
  admin,
  openConsole,
}) => {
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  using fleet = await startMachines(admin, [{ hostname: 'alpha', token }])
  const path = `/?agent=${fleet.machines[0]?.agentId}&pane=notes`
  const [mine, theirs] = [await openConsole({ as: admin, path }), await openConsole({ as: admin, path })]
  await expect(theirs.getByText('No notes yet.')).toBeVisible()
  await mine.getByRole('button', { name: 'Add note' }).click()
  const text = mine.getByRole('dialog').getByRole('textbox', { name: 'Text' })
  await text.fill('Replaced the power supply.')
  await text.press('Control+Enter')
  const shown = theirs.getByRole('list', { name: 'Notes' }).getByRole('listitem')
  await expect(shown).toHaveText(/admin.*Replaced the power supply\./)
  await mine.getByRole('button', { name: 'Edit note' }).click()
  await text.fill('Replaced the fan.')
  await mine.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(shown).toHaveText(/Replaced the fan\./)
  await mine.getByRole('button', { name: 'Delete note' }).click()
  await mine
    .getByRole('dialog', { name: 'Delete this note?' })
    .getByRole('button', { name: 'Delete' })
    .click()
  await expect(theirs.getByText('No notes yet.')).toBeVisible()
})

test('every change leaves an audit row with before and after', async ({ admin, openConsole }) => {
  const acme = await addClient(admin, 'Acme')
  await admin.call(editClient, { params: { id: acme.id }, body: { client: { name: 'Acme Dental' } } })
  const page = await openConsole({ as: admin })
  await chooseInMenu(page, 'Settings', 'Audit log')
  const log = page.getByRole('grid', { name: 'Audit log' })
  await log.getByRole('row', { name: /Changed.*Client/ }).dblclick()
  const entry = page.getByRole('dialog', { name: 'Audit entry' })
  await expect(entry).toContainText('admin')
  await expect(entry).toContainText('127.0.0.1')
  await expect(entry.getByRole('cell', { name: /^changed: "name": "Acme",?$/ })).toBeVisible()
  await expect(entry.getByRole('cell', { name: /^changed: "name": "Acme Dental",?$/ })).toBeVisible()
  await entry.getByRole('button', { name: 'Close' }).last().click()
  await expect(log.getByRole('row', { name: /Signed in|Login|signed in/ }).first()).toBeVisible()
})
