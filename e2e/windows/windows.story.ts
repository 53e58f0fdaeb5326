import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Locator, type Page } from '@playwright/test'
import { chooseAction, chooseInMenu, machineRow, machineTable } from '../support/dashboard.ts'
import { TestDisplay } from '../support/display.ts'
import { Program, ROOT } from '../support/program.ts'
import { addClient, addScript } from '../support/seed.ts'
import { test } from '../support/story.ts'

const MACHINE = join(ROOT, 'apps/agent/wine/run-machine.ts')
/** It may have to install Wine first. */
const READY_MS = 300_000
const NOTEPAD = ['explorer', '/desktop=Default,1280x800', 'notepad']
const PROGRAMS = 'HKEY_LOCAL_MACHINE\\Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall'

const rowOf = (page: Page, grid: string, text: string) =>
  page.getByRole('grid', { name: grid }).getByRole('row').filter({ hasText: text })

/** Opens a tool of the machine in a window of its own. */
async function openWindow(page: Page, hostname: string, entry: string): Promise<Page> {
  await machineRow(page, hostname).click({ button: 'right' })
  const [window] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('menuitem', { name: entry }).click(),
  ])
  return window
}

async function chooseOf(page: Page, row: Locator, entry: string): Promise<void> {
  await row.click({ button: 'right' })
  await page.getByRole('menuitem', { name: entry, exact: true }).click()
}

test('a Windows machine appears and is managed with each of its tools', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  test.setTimeout(READY_MS + 180_000)
  // Refusals of the machine, which Chromium notes as well.
  expected.browser.push(/status of 409/)
  await addClient(admin, 'Acme')
  await addScript(admin, {
    name: 'Sum',
    shell: 'node',
    script_body: 'console.log(`sum ${6 * 7} on ${process.platform}`)',
  })
  await using display = await TestDisplay.open({ command: null })
  const page = await openConsole({ as: admin, permissions: ['clipboard-read', 'clipboard-write'] })

  const token = await test.step('install agent: Windows is preselected', async () => {
    await chooseInMenu(page, 'Tools', 'Install agent')
    await expect(page.getByRole('radio', { name: 'Windows' })).toBeChecked()
    await page.getByText('MSI package').click()
    await page.getByRole('button', { name: 'Create install command' }).click()
    const command = page.getByRole('group', { name: 'Install command' })
    await expect(command).toContainText(/msiexec \/i .* \/qn SERVER=.* TOKEN=/)
    return /TOKEN=(\S+)/.exec(await command.innerText())?.[1] ?? ''
  })
  const given = ['--server', server.url, '--token', token, '--display', display.name, '--', ...NOTEPAD]
  const env = { PATH: process.env['PATH'] }
  await using machine = new Program(process.execPath, [MACHINE, ...given], { env })
  const [, folder = ''] = await machine.waitForLine(/^running in (.+)$/, READY_MS)

  const hostname = await test.step('it appears live, with what it is', async () => {
    const dialog = page.getByRole('dialog', { name: 'Install agent' })
    const arrival = dialog.getByText(/ is here$/)
    await expect(arrival).toBeVisible()
    const name = (await arrival.innerText()).replace(/ is here$/, '')
    await dialog.getByRole('button', { name: 'Close' }).first().click()
    await expect(machineRow(page, name)).toContainText('online')
    await machineRow(page, name).click()
    await expect(page.getByText(/^Windows 10 Pro 10\./)).toBeVisible()
    await expect(page.getByRole('region', { name: 'Disks' })).toContainText('C:\\')
    return name
  })

  await test.step('a command runs in cmd, and a script in Node', async () => {
    await chooseAction(page, 'Send command')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Command' }).fill('echo %OS% grüße 雪& exit 3')
    await dialog.getByRole('button', { name: 'Send command' }).click()
    await expect(dialog.getByRole('status')).toHaveText('exit code 3')
    await expect(dialog.getByRole('region', { name: 'Output' })).toHaveText('Windows_NT grüße 雪')
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await chooseAction(page, 'Run script')
    await dialog.getByRole('combobox', { name: 'Script' }).click()
    await page.getByRole('option', { name: 'Sum' }).click()
    await dialog.getByRole('button', { name: 'Run' }).click()
    await expect(dialog.getByRole('region', { name: 'Output' })).toHaveText('sum 42 on win32')
    await dialog.getByRole('button', { name: 'Close' }).last().click()
  })

  await test.step('a check measures a drive, and a task runs', async () => {
    const dialog = page.getByRole('dialog')
    await page.getByRole('tab', { name: 'Checks' }).click()
    await page.getByRole('button', { name: 'New check' }).click()
    await page.getByRole('menuitem', { name: 'Disk space' }).click()
    await dialog.getByLabel('Disk', { exact: true }).fill('C:')
    // The disk of the machine that runs this may be nearly full.
    await dialog.getByLabel('Warning threshold').fill('1')
    await dialog.getByLabel('Error threshold').fill('0')
    await dialog.getByRole('button', { name: 'Add check' }).click()
    await expect(rowOf(page, 'Checks', 'C:')).toContainText(/passing.*free/)
    await page.getByRole('tab', { name: 'Tasks' }).click()
    await page.getByRole('button', { name: 'New task' }).click()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Nightly')
    await dialog.getByRole('textbox', { name: 'Command' }).fill('echo ran on %OS%')
    await dialog.getByRole('button', { name: 'Add task' }).click()
    await chooseOf(page, rowOf(page, 'Tasks', 'Nightly'), 'Run task')
    await expect(rowOf(page, 'Tasks', 'Nightly')).toContainText(/passing.*ran on Windows_NT/)
  })

  await test.step('a restart asks first', async () => {
    await chooseAction(page, 'Power', 'Reboot now')
    await page
      .getByRole('dialog', { name: `Reboot ${hostname}?` })
      .getByRole('button', { name: 'Cancel' })
      .click()
  })

  await test.step('Windows Update: a sentence where there is none', async () => {
    await page.getByRole('tab', { name: 'Patches' }).click()
    await page.getByRole('button', { name: 'Start scan' }).click()
    await expect(page.getByText('Windows Update failed: PowerShell printed nothing.')).toBeVisible()
    await expect(page.getByText('No pending patches are known.')).toBeVisible()
  })

  const tools = await openWindow(page, hostname, 'Remote background')
  await test.step('terminal', async () => {
    const screen = tools.locator('.xterm-rows').last()
    // In Wine, cmd.exe alone does not reach the pseudo-console, and ends.
    await expect(tools.getByText(/^The shell has ended/)).toBeVisible()
    await tools.getByRole('button', { name: /^Shell:/ }).click()
    await tools.getByRole('menuitem', { name: /^Custom shell/ }).click()
    await tools.getByRole('textbox', { name: 'Program' }).fill('C:\\Muster\\shell.cmd')
    await tools.getByRole('button', { name: 'Open' }).click()
    await expect(screen).toContainText(/>\s*$/)
    await tools.keyboard.type('echo äöü-%OS%')
    await tools.keyboard.press('Enter')
    await expect(screen).toContainText('äöü-Windows_NT')
  })

  await test.step('files: drives, and a file there and back', async () => {
    await tools.getByRole('tab', { name: 'Files' }).click()
    await rowOf(tools, 'Files', 'C:').dblclick()
    await rowOf(tools, 'Files', 'Muster').dblclick()
    await expect(rowOf(tools, 'Files', 'node.exe')).toBeVisible()
    const [chooser] = await Promise.all([
      tools.waitForEvent('filechooser'),
      tools.getByRole('button', { name: 'Upload' }).click(),
    ])
    const file = { name: 'grüße 雪.txt', mimeType: 'text/plain', buffer: Buffer.from('up and down') }
    await chooser.setFiles(file)
    await expect(tools.getByRole('list', { name: 'Uploads' }).getByRole('status')).toHaveText(/^Uploaded/)
    await rowOf(tools, 'Files', file.name).click({ button: 'right' })
    const [download] = await Promise.all([
      tools.waitForEvent('download'),
      tools.getByRole('menuitem', { name: 'Download', exact: true }).click(),
    ])
    expect(await readFile(await download.path(), 'utf8')).toBe('up and down')
  })

  await test.step('processes, and a service that is started and stopped', async () => {
    await tools.getByRole('tab', { name: 'Processes' }).click()
    await expect(rowOf(tools, 'Processes', 'notepad.exe')).toContainText('C:\\windows\\system32\\notepad.exe')
    await tools.getByRole('tab', { name: 'Services' }).click()
    const spooler = rowOf(tools, 'Services', 'Print Spooler')
    for (const [action, state] of [
      ['Start', 'running'],
      ['Stop', 'stopped'],
    ] as const) {
      await chooseOf(tools, spooler, action)
      await tools.getByRole('dialog').getByRole('button', { name: action }).click()
      await expect(spooler).toContainText(state)
    }
  })

  await test.step('registry: a key and a value, which the software of the machine shows', async () => {
    await tools.getByRole('tab', { name: 'Registry' }).click()
    const go = async (path: string) => {
      await tools.getByRole('textbox', { name: 'Key path' }).fill(path)
      await tools.getByRole('button', { name: 'Go' }).click()
    }
    const dialog = tools.getByRole('dialog')
    const add = async (entry: string) => {
      await tools.getByRole('button', { name: 'Key', exact: true }).click()
      await tools.getByRole('menuitem', { name: new RegExp(`^${entry}`) }).click()
    }
    await go(PROGRAMS)
    await add('New key')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Story')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog).toBeHidden()
    await go(`${PROGRAMS}\\Story`)
    await add('New value')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('DisplayName')
    await dialog.getByRole('textbox', { name: 'Data' }).fill('Müster 雪')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(rowOf(tools, 'Values', 'DisplayName')).toContainText('Müster 雪')
    await page.getByRole('tab', { name: 'Software' }).click()
    await page.getByRole('button', { name: 'Scan software' }).click()
    await expect(rowOf(page, 'Software', 'Müster 雪')).toBeVisible()
  })

  await test.step('event log: an error where there is none, and no empty list', async () => {
    await tools.getByRole('tab', { name: 'Logs' }).click()
    await expect(tools.getByText(/Failed to read the log System/)).toBeVisible()
    await tools.close()
  })

  await test.step('take control: the desktop is seen, and typed text arrives', async () => {
    const window = await openWindow(page, hostname, 'Take control')
    const canvas = window.getByRole('application', { name: 'Screen of the machine' })
    await expect(window.getByText('Display DISPLAY1 by Muster')).toBeVisible()
    await expect.poll(() => countWhite(canvas)).toBeGreaterThan(200_000)
    await canvas.click({ position: { x: 300, y: 300 } })
    await window.keyboard.type("It's me: {ok} ~| @")
    await window.keyboard.press('Control+a')
    await window.keyboard.press('Control+c')
    await expect.poll(() => window.evaluate('navigator.clipboard.readText()')).toBe("It's me: {ok} ~| @")
    await window.close()
  })

  await test.step('its program is killed: nothing of it is left, and the console says so', async () => {
    await machine.stop('SIGKILL')
    await expect.poll(() => existsSync(folder)).toBe(false)
    await expect(machineTable(page).getByText('away')).toBeVisible()
  })
})

/** Globals of the browser that are missing in the types of Node. */
interface Canvas {
  width: number
  height: number
  cloneNode: () => Canvas
  getContext: (kind: '2d') => {
    drawImage: (from: unknown, x: number, y: number) => void
    getImageData: (x: number, y: number, width: number, height: number) => { data: Uint8ClampedArray }
  }
}

/** The page of Notepad is white. Counted in a copy: Chromium warns about repeated reads of a visible canvas. */
const countWhite = (shown: Locator) =>
  shown.evaluate((node) => {
    const canvas = node as unknown as Canvas
    const copy = canvas.cloneNode().getContext('2d')
    copy.drawImage(node, 0, 0)
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height)
    let white = 0
    for (let at = 0; at < data.length; at += 4)
      white += Number(data[at] === 255 && data[at + 1] === 255 && data[at + 2] === 255)
    return white
  })
