import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { listAgents } from '@muster/contract/api/agents'
import { listAudit } from '@muster/contract/api/audit'
import { getRemoteAccess, setRemoteAccess } from '@muster/contract/api/remote-access'
import { expect, type Locator, type Page } from '@playwright/test'
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

/** How many processes of a program speak to this display. */
const countProcesses = (program: string, display: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      const [command = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return (
        command.endsWith(program) &&
        readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`DISPLAY=${display}\0`)
      )
    } catch {
      return false
    }
  }).length

const countServers = (display: string) => countProcesses('x11vnc', display)

/** Globals of the browser that are missing in the types of Node. */
interface Browser {
  OffscreenCanvas: new (
    width: number,
    height: number,
  ) => {
    getContext: (
      kind: '2d',
      how: object,
    ) => {
      drawImage: (from: unknown, x: number, y: number) => void
      getImageData: (x: number, y: number, width: number, height: number) => { data: Uint8ClampedArray }
    }
  }
}

/** Counts bright pixels in a copy: Chromium warns about repeated reads of a visible canvas. */
const countBright = (shown: Locator) =>
  shown.evaluate((node) => {
    const { width, height } = node as unknown as { width: number; height: number }
    const { OffscreenCanvas } = globalThis as unknown as Browser
    const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
    copy.drawImage(node, 0, 0)
    const { data } = copy.getImageData(0, 0, width, height)
    return data.reduce((sum, value, index) => sum + Number(index % 4 === 0 && value > 150), 0)
  })

test('take control of a desktop: see, type, click, copy, look only, take a picture, end, ask the person there', async ({
  admin,
  server,
  openConsole,
}) => {
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

  // Text copied on the machine arrives on this computer's clipboard.
  await enter(window, String.raw`printf '\033]52;cp;%s\a' $(printf 'from there' | base64)`)
  // x11vnc looks at selections from the fifteenth second on.
  await expect.poll(() => window.evaluate('navigator.clipboard.readText()')).toBe('from there')
  // Text sent to the machine is pasted there with the middle button.
  await tools(window).getByRole('button', { name: 'Clipboard' }).click()
  const field = window.getByRole('textbox', { name: "Text on the machine's clipboard" })
  await expect(field).toHaveValue('from there')
  await field.fill(`echo pasted > ${folder}/pasted\n`)
  await window.getByRole('button', { name: 'Send to machine' }).click()
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

  await tools(window).getByRole('combobox', { name: 'Quality' }).selectOption('For slow connections')
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
  await expect(window.getByText('You ended the session.')).toBeVisible()
  await expect.poll(() => countServers(display.name)).toBe(0)
  await expect
    .poll(async () => {
      const body = { actionFilter: ['remote_session' as const] }
      return (await admin.call(listAudit, { body })).audit_logs.map(({ message }) => message)
    })
    .toEqual([
      expect.stringMatching(/^Ended the desktop on ".+" after \d+ (s|min)/),
      expect.stringMatching(/^Opened a desktop on "/),
    ])

  // From here on desktops are recorded: both sides see a notice, and the recording plays back.
  const params = { level: 'default' as const, id: 'all' }
  const { settings } = await admin.call(getRemoteAccess, { params })
  await admin.call(setRemoteAccess, { params, body: { ...settings, record_desktops: 'all' } })
  await window.getByRole('button', { name: 'Reconnect' }).click()
  await expect(canvas(window)).toBeFocused()
  await expect(window.getByText('Recorded', { exact: true })).toBeVisible()
  await expect.poll(() => countProcesses('xmessage', display.name)).toBe(1)
  await canvas(window).hover({ position: { x: 200, y: 200 } })

  // A second window needs the consent of the user at the machine, which the first window gives here.
  const { agent_id } = (await admin.call(listAgents, { query: {} }))[0] ?? { agent_id: '' }
  await admin.call(setRemoteAccess, {
    params,
    body: { ...settings, record_desktops: 'all', consent: 'require', consent_seconds: 60 },
  })
  await page.goto(`/takecontrol/${agent_id}`)
  const asks = page.getByRole('status').filter({ hasText: 'Waiting for consent at the machine' })
  await expect(asks).toBeVisible()
  await expect.poll(() => display.findButtons('Remote access').length).toBe(2)
  await expect(canvas(page)).toBeHidden()
  await canvas(window).click({ position: display.findButtons('Remote access')[0] ?? { x: 0, y: 0 } })
  // It shows the same desktop, both list each other, and the first continues when the second is closed.
  await expect(canvas(page)).toBeFocused()
  await expect.poll(() => countServers(display.name)).toBe(2)
  for (const one of [page, window]) await expect(one.getByText('Also here: admin (desktop)')).toBeVisible()
  await expect.poll(() => countBright(canvas(page))).toBeGreaterThan(500)
  await page.goto(`/remotebackground/${agent_id}?tool=sessions`)
  await expect.poll(() => countServers(display.name)).toBe(1)
  await expect(window.getByText('Also here: admin (desktop)')).toBeHidden()
  await enter(window, `echo still > ${folder}/still`)
  await expect.poll(() => written('still')).toBe('still\n')
  await window.close()
  await expect.poll(() => countServers(display.name)).toBe(0)
  await page
    .getByRole('button', { name: /^Play the recording of admin/ })
    .last()
    .click()
  const player = page.getByRole('dialog', { name: /^Recording: admin on / })
  const shown = player.getByRole('img', { name: 'Recorded desktop' })
  await player.getByRole('slider', { name: 'Position in the recording' }).press('End')
  // A prompt and what was typed are brighter than the black behind them.
  await expect.poll(() => countBright(shown)).toBeGreaterThan(500)
  agent.expectCleanLog()
})
