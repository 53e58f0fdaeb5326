import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { CodeApp } from '../support/code-app.ts'
import { chooseAction, chooseInMenu, treeLine } from '../support/dashboard.ts'
import { PastedLine } from '../support/pasted-line.ts'
import { sendPassword } from '../support/sign-in-page.ts'
import { startServer, type TestServer } from '../support/start-server.ts'
import { test } from '../support/story.ts'
import { SERVER_GONE } from '../support/watch-browser.ts'

// The story of a new user, from the first start on, on this machine itself and with the agent's own program.
test('the main job: sign in, see real machines live, act on them', async ({
  page,
  server,
  deployment,
  expected,
}) => {
  expected.browser.push(SERVER_GONE)
  await using folder = await makeFolder()
  // Where several processes share the work, the second machine is on another one than the browser.
  await using servers = new AsyncDisposableStack()
  const other = servers.use(await startOther(server, deployment.env))

  await test.step('sign in with the first password, set up TOTP', async () => {
    await page.goto('/')
    await sendPassword(page, server.admin)
    await expect(page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible()
    const app = new CodeApp(await page.getByText(/^([A-Z2-7]{4} ?){4,}$/).innerText())
    await page.getByRole('textbox', { name: 'Code' }).fill(app.nextCode())
    await page.getByRole('button', { name: 'Continue' }).click()
  })

  await test.step('name a client and a site; this machine is in tree and table within seconds', async () => {
    await expect(page).toHaveURL('/setup')
    await page.getByRole('textbox', { name: 'Client' }).fill('Acme Dental')
    await page.getByRole('textbox', { name: 'Site' }).fill('Berlin HQ')
    await expect(page.getByRole('checkbox', { name: /Also monitor the machine/ })).toBeChecked()
    await page.getByRole('button', { name: 'Finish' }).click()
    await expect(treeLine(page, /Acme Dental/)).toBeVisible()
    await expect(own(page)).toContainText('online')
    await expect(treeLine(page, /Acme Dental/)).toContainText('1')
  })

  const line = await test.step('make the line of Install Agent', () =>
    makeLine(page, join(folder.path, 'agent')))
  await using pasted = new PastedLine(line.replaceAll(server.url, other?.url ?? server.url))
  await test.step('the second machine appears without a touch of the page', async () => {
    await expect(page.getByRole('dialog', { name: 'Install agent' })).toContainText(/is here/)
    await expect(second(page)).toContainText('online')
    await expect(page.getByRole('button', { name: /^2 machines/ })).toBeVisible()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click()
  })

  await test.step('send a command and watch its output stream', async () => {
    await second(page).click()
    await chooseAction(page, 'Send command')
    const dialog = page.getByRole('dialog', { name: /Send command to/ })
    const go = join(folder.path, 'go')
    await dialog
      .getByRole('textbox', { name: 'Command' })
      .fill(`echo first; while [ ! -e ${go} ]; do sleep 0.05; done; echo second; echo oops >&2; exit 3`)
    await dialog.getByRole('button', { name: 'Send command' }).click()
    const output = dialog.getByRole('region', { name: 'Output' })
    await expect(output).toHaveText('first')
    await expect(dialog.getByRole('status')).toHaveText('running')
    await writeFile(go, '')
    await expect(output).toHaveText(/first\s*second\s*oops/)
    await expect(dialog.getByRole('status')).toHaveText('exit code 3')
    await dialog.getByRole('button', { name: 'Close' }).last().click()
  })

  await test.step('save a script', () => saveScript(page))
  await test.step('run it with an argument and a variable; see output, exit code and duration', async () => {
    await chooseAction(page, 'Run script')
    const dialog = page.getByRole('dialog', { name: /Run script on/ })
    await dialog.getByRole('combobox', { name: 'Script' }).click()
    await page.getByRole('option', { name: 'Greet' }).click()
    await dialog.getByRole('button', { name: 'Add argument' }).click()
    await dialog.getByRole('textbox', { name: 'Arguments 1' }).fill('Ada Winter')
    await dialog.getByRole('button', { name: 'Add variable' }).click()
    await dialog.getByRole('textbox', { name: 'Environment variables 1' }).fill('GREETING=Good day')
    await dialog.getByRole('button', { name: 'Run' }).click()
    await expect(dialog.getByRole('region', { name: 'Output' })).toHaveText('Good day, Ada Winter')
    await expect(dialog.getByRole('status')).toHaveText('done')
    await expect(dialog.getByText('exit code 0')).toBeVisible()
    await expect(dialog.getByText(/^\d+(\.\d+)? (ms|s)$/)).toBeVisible()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
  })
  await test.step('both are in the history of the machine', async () => {
    await page.getByRole('tab', { name: 'History' }).click()
    await expectHistory(page)
    await page.getByRole('row', { name: /Greet/ }).click()
    await expect(page.getByRole('region', { name: 'Output' }).last()).toContainText('Good day, Ada Winter')
  })

  await test.step('stop the agent: the table says so within 5 s; start it: it is back', async () => {
    await pasted.pressCtrlC()
    await expect(second(page)).toContainText('away')
    pasted.expectCleanLog()
  })
  const again = /^muster: {3}(\S+ \S+ run --data .+)$/m.exec(pasted.output())?.[1]
  await using started = new PastedLine(again ?? 'false')
  await expect(second(page)).toContainText('online')

  await test.step('restart the server: console and agents come back by themselves, nothing is lost', async () => {
    await Promise.all([server.restart(), other?.restart()])
    await expect(page.getByRole('status').filter({ hasText: /^live/ })).toBeVisible()
    // Machines wait a random while, so that a fleet does not come back in one moment.
    await expect(page.getByRole('button', { name: /^2 machines$/ })).toBeVisible()
    for (const row of [own(page), second(page)]) await expect(row).toContainText('online')
    await expectHistory(page)
    expect(existsSync(join(folder.path, 'agent'))).toBe(true)
  })
  await started.pressCtrlC()
  started.expectCleanLog(/link|connect/)
})

/** The machine that the server runs on is a server, the pasted line made a workstation; the name is the same. */
const own = (page: Page) => rowOf(page, 'Server')
const second = (page: Page) => rowOf(page, 'Workstation')
const rowOf = (page: Page, type: string) =>
  page
    .getByRole('grid', { name: 'Machines' })
    .getByRole('row')
    .filter({ has: page.getByRole('img', { name: type, exact: true }) })

async function makeLine(page: Page, dataFolder: string): Promise<string> {
  await chooseInMenu(page, 'Tools', 'Install agent')
  const dialog = page.getByRole('dialog', { name: 'Install agent' })
  await dialog.getByText('Linux', { exact: true }).click()
  await dialog.getByRole('radio', { name: 'Workstation' }).check()
  await dialog.getByRole('checkbox', { name: /Test mode/ }).check()
  await dialog.getByRole('textbox', { name: 'Data folder' }).fill(dataFolder)
  await dialog.getByRole('button', { name: 'Create install command' }).click()
  const line = dialog.getByRole('group', { name: 'Install command' })
  await expect(line).toContainText('curl')
  return line.getByRole('code').innerText()
}

async function saveScript(page: Page): Promise<void> {
  const from = page.url()
  await chooseInMenu(page, 'Automation', 'Scripts')
  await page.getByRole('button', { name: 'New script', exact: true }).click()
  await page.getByRole('menuitem', { name: 'New script' }).click()
  const editor = page.getByRole('dialog', { name: 'New script' })
  await editor.getByRole('textbox', { name: 'Name' }).fill('Greet')
  await editor.getByRole('textbox', { name: 'Code' }).fill('echo "$GREETING, $1"')
  await editor.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('row', { name: /Greet/ })).toBeVisible()
  await page.goto(from)
}

async function expectHistory(page: Page): Promise<void> {
  const history = page.getByRole('grid', { name: 'History' })
  await expect(history.getByRole('row', { name: /Greet/ })).toContainText('done')
  await expect(history.getByRole('row', { name: /echo first/ })).toContainText('exit code 3')
  await expect(history).toHaveAttribute('aria-rowcount', '3')
}

async function startOther(server: TestServer, env: Record<string, string>): Promise<TestServer | undefined> {
  if (env['NATS_URL'] === undefined) return undefined
  return startServer({ env: { ...env, MUSTER_DATA: server.dataFolder } })
}

async function makeFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'muster-e2e-line-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) }
}
