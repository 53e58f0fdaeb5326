import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { listAudit } from '@muster/contract/api/audit'
import { expect, type Page } from '@playwright/test'
import { machineRow } from '../support/dashboard.ts'
import { TestDisplay } from '../support/display.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'

const canvas = (page: Page) => page.getByRole('application', { name: 'Screen of the machine' })
const tools = (page: Page) => page.getByRole('toolbar', { name: 'Screen' })

/** The canvas as it is, as text. */
const look = (page: Page) =>
  // A canvas, which the types of Node do not know.
  canvas(page).evaluate((node) => (node as unknown as { toDataURL: () => string }).toDataURL())

async function enter(page: Page, line: string) {
  await page.keyboard.type(line)
  await page.keyboard.press('Enter')
}

/** VNC servers that show this display. */
const countServers = (display: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return args[0]?.endsWith('x11vnc') === true && args.includes(display)
    } catch {
      return false
    }
  }).length

test('take control of a desktop: see, type, click, copy, look only, take a picture, end', async ({
  admin,
  server,
  openConsole,
}, testInfo) => {
  test.setTimeout(120_000)
  const folder = await mkdtemp(join(tmpdir(), 'muster-desktop-'))
  await using _folder = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
  const written = (name: string) => readFile(join(folder, name), 'utf8').catch(() => '')
  await using display = await TestDisplay.open()
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  await using agent = await startAgent({ server: server.url, token, env: { DISPLAY: display.name } })
  const page = await openConsole({ as: admin, permissions: ['clipboard-read', 'clipboard-write'] })
  await machineRow(page, hostname()).click({ button: 'right' })
  const [window] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('menuitem', { name: 'Take control' }).click(),
  ])
  await expect(window).toHaveTitle(/ - Acme - .* \| Take Control$/)
  await expect(
    window.getByRole('status').filter({ hasText: `Display ${display.name} by x11vnc` }),
  ).toBeVisible()
  await expect(canvas(window)).toBeFocused()

  // A key press changes the picture.
  await expect.poll(() => look(window)).not.toBe('')
  const before = await look(window)
  await window.keyboard.type('#')
  await expect.poll(() => look(window)).not.toBe(before)
  await window.keyboard.press('Backspace')
  await enter(window, `echo "It's ME: {ok} ~|" > ${folder}/typed`)
  await expect.poll(() => written('typed')).toBe("It's ME: {ok} ~|\n")
  await window.screenshot({ path: testInfo.outputPath('open.png') })

  // What the machine copies comes here, and is on this computer's clipboard.
  await enter(window, String.raw`printf '\033]52;cp;%s\a' $(printf 'from there' | base64)`)
  // x11vnc looks at selections from the fifteenth second on.
  await expect
    .poll(() => window.evaluate('navigator.clipboard.readText()'), { timeout: 30_000 })
    .toBe('from there')
  // What is given to it is pasted there, by the middle button.
  await tools(window).getByRole('button', { name: 'Clipboard' }).click()
  const field = window.getByRole('textbox', { name: "Text on the machine's clipboard" })
  await expect(field).toHaveValue('from there')
  await field.fill(`echo pasted > ${folder}/pasted\n`)
  await window.getByRole('button', { name: 'Give to the machine' }).click()
  await window.screenshot({ path: testInfo.outputPath('clipboard.png') })
  await window.keyboard.press('Escape')
  await canvas(window).click({ button: 'middle' })
  await expect.poll(() => written('pasted')).toBe('pasted\n')

  // Keys that no browser hands on.
  await enter(window, `cat -v > ${folder}/keys`)
  await tools(window).getByRole('button', { name: 'Keys' }).click()
  await window.getByRole('menuitem', { name: 'Ctrl+Alt+Del' }).click()
  await expect(canvas(window)).toBeFocused()
  await window.keyboard.press('Enter')
  await window.keyboard.press('Control+d')
  await expect.poll(() => written('keys')).toContain('^[[3;')

  await tools(window).getByRole('checkbox', { name: 'View only' }).check()
  await canvas(window).click()
  await enter(window, `echo no > ${folder}/forbidden`)
  await tools(window).getByRole('checkbox', { name: 'View only' }).uncheck()
  await canvas(window).click()
  await enter(window, `echo yes > ${folder}/allowed`)
  await expect.poll(() => written('allowed')).toBe('yes\n')
  expect(await written('forbidden')).toBe('')

  await tools(window).getByRole('combobox', { name: 'Quality' }).selectOption('For slow lines')
  await tools(window).getByRole('checkbox', { name: 'Fit window' }).uncheck()
  await expect.poll(() => canvas(window).evaluate((node) => node.clientWidth)).toBe(1280)
  const [picture] = await Promise.all([
    window.waitForEvent('download'),
    tools(window).getByRole('button', { name: 'Screenshot' }).click(),
  ])
  expect(picture.suggestedFilename()).toMatch(/^.+-\d{4}-\d\d-\d\dT[\d-]+\.png$/)
  await expect(window.getByText('Latency')).toBeVisible()
  await expect(window.getByText(/^\d+ ms$/)).toBeVisible()
  await tools(window).getByRole('button', { name: 'Full screen' }).click()
  await expect.poll(() => window.evaluate('document.fullscreenElement !== null')).toBe(true)
  await window.evaluate('document.exitFullscreen()')

  expect(countServers(display.name)).toBe(1)
  await tools(window).getByRole('button', { name: 'End session' }).click()
  await expect(window.getByText('You ended it.')).toBeVisible()
  await expect.poll(() => countServers(display.name)).toBe(0)
  await expect
    .poll(async () => {
      const body = { actionFilter: ['remote_session' as const] }
      return (await admin.call(listAudit, { body })).audit_logs.map(({ message }) => message)
    })
    .toEqual([
      expect.stringMatching(/^The desktop on ".+" ended after \d+ (s|min)/),
      expect.stringMatching(/^Opened a desktop on "/),
    ])

  await window.getByRole('button', { name: 'Connect again' }).click()
  await expect(canvas(window)).toBeFocused()
  await window.close()
  await expect.poll(() => countServers(display.name)).toBe(0)
  agent.expectCleanLog()
})
