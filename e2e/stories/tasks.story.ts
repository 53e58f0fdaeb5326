import { existsSync, mkdtempDisposableSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { machineRow, treeLine } from '../support/dashboard.ts'
import { addClient, addScript, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'
import { SERVER_GONE } from '../support/watch-browser.ts'

// Tasks on this machine itself, with the agent's own program and its own clock.
test('tasks: a machine runs its tasks by its own clock, and reports the results', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  expected.browser.push(SERVER_GONE)
  const acme = await addClient(admin, 'Acme', 'Berlin')
  using folder = mkdtempDisposableSync(join(tmpdir(), 'muster-task-'))
  const done = join(folder.path, 'done')
  await addScript(admin, { name: 'Clean up', script_body: 'echo "cleaned $1"; echo trouble >&2; exit 3' })
  await using _agent = await startAgent({ server: server.url, token: await makeToken(admin, acme) })
  const page = await openConsole({ as: admin })
  await expect(machineRow(page, hostname())).toContainText('online')
  await machineRow(page, hostname()).click()
  await page.getByRole('tab', { name: 'Tasks' }).click()
  await expect(page.getByText(/has no tasks yet/)).toBeVisible()

  await test.step('a task every minute: the next five runs are shown', async () => {
    await page.getByRole('button', { name: 'New task' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Every minute')
    await dialog.getByRole('textbox', { name: 'Command' }).fill(`echo "ran on $(uname -s)"; touch ${done}`)
    await dialog.getByRole('combobox', { name: 'Runs' }).click()
    await page.getByRole('option', { name: 'Cron expression' }).click()
    await dialog.getByRole('textbox', { name: 'Cron expression' }).fill('* * * * *')
    await expect(dialog.getByRole('region', { name: 'Next runs' }).getByRole('listitem')).toHaveCount(5)
    await dialog.getByRole('button', { name: 'Add task' }).click()
    await expect(taskRow(page, 'Every minute')).toContainText('pending')
  })

  await test.step('the first run starts on time while the server is down, and is reported afterwards', async () => {
    await chooseAction(page, 'Every minute', 'Run task')
    await expect(taskRow(page, 'Every minute')).toContainText(/passing.*ran on Linux/)
    await server.kill()
    rmSync(done)
    await expect.poll(() => existsSync(done)).toBe(true)
    await server.start()
  })

  await test.step('its output and exit code are read in its runs', async () => {
    await chooseAction(page, 'Every minute', 'Show runs')
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('row', { name: /passing .* on time/ }).first()).toBeVisible()
    await expect(dialog.getByRole('region', { name: 'Output of action 1' })).toHaveText('ran on Linux')
    await expect(dialog.getByText('exit code 0')).toBeVisible()
    await dialog.getByRole('button', { name: 'Close' }).click()
  })

  await test.step('switched off it stays, and cannot be run', async () => {
    await chooseAction(page, 'Every minute', 'Disable')
    await expect(taskRow(page, 'Every minute')).toContainText('disabled')
    await openMenu(page, 'Every minute')
    await expect(page.getByRole('menuitem', { name: /Run task/ })).toBeDisabled()
    await page.keyboard.press('Escape')
  })

  await test.step('a task whose script fails raises an alert, which ends when it succeeds', async () => {
    await page.getByRole('button', { name: 'New task' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Nightly')
    await dialog.getByRole('combobox', { name: 'Alert when a run fails' }).click()
    await page.getByRole('option', { name: 'Error' }).click()
    await dialog.getByRole('button', { name: 'Remove action 1' }).click()
    await dialog.getByRole('button', { name: 'Add script' }).click()
    await dialog.getByRole('combobox', { name: 'Script' }).click()
    await page.getByRole('option', { name: 'Clean up' }).click()
    await dialog.getByRole('button', { name: 'Add argument' }).click()
    await dialog.getByRole('textbox', { name: 'Arguments 1' }).fill('a b')
    await dialog.getByRole('button', { name: 'Add task' }).click()
    await expect(taskRow(page, 'Nightly')).toContainText('Every day at 02:00')
    await chooseAction(page, 'Nightly', 'Run task')
    await expect(taskRow(page, 'Nightly')).toContainText(/failing · error.*exited with code 3/)
    await expect(treeLine(page, /Berlin/)).toContainText('failing')
    await page.getByRole('tab', { name: 'Alerts' }).click()
    const alerts = page.getByRole('tabpanel')
    await expect(alerts.getByText(/Task "Nightly": "Clean up" exited with code 3/)).toBeVisible()
    await page.getByRole('tab', { name: 'Tasks' }).click()
    await chooseAction(page, 'Nightly', 'Show runs')
    await expect(dialog.getByRole('region', { name: 'Output of action 1' })).toHaveText(
      /cleaned a b\s*trouble/,
    )
    await dialog.getByRole('button', { name: 'Close' }).click()
    await taskRow(page, 'Nightly').dblclick()
    await dialog.getByRole('button', { name: 'Remove action 1' }).click()
    await dialog.getByRole('button', { name: 'Add command' }).click()
    await dialog.getByRole('textbox', { name: 'Command' }).fill('echo better')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog).toBeHidden()
    await chooseAction(page, 'Nightly', 'Run task')
    await expect(taskRow(page, 'Nightly')).toContainText(/passing.*better/)
    await expect(treeLine(page, /Berlin/)).not.toContainText('failing')
  })

  await test.step('delete', async () => {
    await chooseAction(page, 'Nightly', 'Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await expect(taskRow(page, 'Nightly')).toHaveCount(0)
  })
})

const taskRow = (page: Page, name: string) =>
  page.getByRole('grid', { name: 'Tasks' }).getByRole('row').filter({ hasText: name })

async function openMenu(page: Page, name: string): Promise<void> {
  await taskRow(page, name).click({ button: 'right' })
}

async function chooseAction(page: Page, name: string, action: string): Promise<void> {
  await openMenu(page, name)
  await page.getByRole('menuitem', { name: action }).click()
}
