import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { listAudit } from '@muster/contract/api/audit'
import { expect, type Page } from '@playwright/test'
import { addColleague, joinTerminal } from '../support/colleague.ts'
import { machineRow } from '../support/dashboard.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'
import { LONG_PATIENCE_MS } from '../../tools/patience.ts'

const screen = (page: Page) => page.locator('.xterm-rows')

async function enter(page: Page, line: string) {
  await page.keyboard.type(line)
  await page.keyboard.press('Enter')
}

/** 100 MB of text. */
async function givenFlood() {
  const folder = await mkdtemp(join(tmpdir(), 'muster-flood-'))
  const file = join(folder, 'flood')
  await writeFile(file, `${'x'.repeat(99)}\n`.repeat(200_000))
  return { file, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

test('a terminal: commands, a full screen, a flood, a reload, the end, and the audit log', async ({
  admin,
  server,
  openConsole,
}) => {
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  await using agent = await startAgent({ server: server.url, token })
  const page = await openConsole({ as: admin, permissions: ['clipboard-read', 'clipboard-write'] })
  await machineRow(page, hostname()).click({ button: 'right' })
  const [window] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('menuitem', { name: 'Remote background' }).click(),
  ])
  await expect(window).toHaveTitle(/ - Acme - .* \| Remote Background$/)
  await expect(window.getByRole('tab', { name: 'Terminal' })).toBeVisible()
  await expect(window.getByRole('status').filter({ hasText: /^In \/.+ as \w+ on / })).toBeVisible()
  await expect(window.getByText('Recorded', { exact: true })).toBeVisible()
  await expect(screen(window)).toContainText(/[$#] *$/)
  await enter(window, "PS1='next> '")
  await enter(window, 'echo "sum $((20 + 22))"')
  await expect(screen(window)).toContainText('sum 42')
  // Until a program has begun, Bash itself may swallow the signal.
  await enter(window, 'sh -c \'echo "asleep $((1 + 1))"; exec sleep 1000\'')
  await expect(screen(window)).toContainText('asleep 2')
  await window.keyboard.press('Control+c')
  // With the signal the terminal forgets what was typed behind it.
  await expect(screen(window)).toContainText(/\^C\s*next>\s*$/)
  await enter(window, String.raw`printf '\033[31mred\033[0m, \033[44mblue\033[0m\n'`)
  await expect(screen(window).locator('.xterm-fg-1')).toHaveText('red')
  await expect(screen(window).locator('.xterm-bg-4')).toHaveText('blue')
  await enter(window, 'clear; echo copied-$((40 + 2))')
  const place = await screen(window).getByText('copied-42', { exact: true }).boundingBox()
  // The pointer hits the layer above the rows.
  await window.mouse.dblclick((place?.x ?? 0) + 20, (place?.y ?? 0) + 6)
  await window.keyboard.press('Control+c')
  await window.keyboard.type('echo "and pasted: ')
  await window.keyboard.press('Control+v')
  await enter(window, '"')
  await expect(screen(window)).toContainText('and pasted: copied-42')

  const sizeNow = async (mark: string) => {
    await enter(window, `echo "${mark}: $(stty size | tr ' ' x)."`)
    await expect(screen(window)).toContainText(new RegExp(`${mark}: \\d+x\\d+\\.`))
    return new RegExp(`${mark}: (\\d+x\\d+)`).exec(await screen(window).innerText())?.[1]
  }
  const large = await sizeNow('large')
  await enter(window, 'top')
  await expect(screen(window)).toContainText(/load average/)
  await window.setViewportSize({ width: 900, height: 600 })
  await expect(screen(window)).toContainText(/load average/)
  await window.keyboard.press('q')
  // Keys before the prompt is back would go to the program.
  await expect(screen(window)).toContainText(/next>\s*$/)
  expect(await sizeNow('small')).not.toBe(large)
  await enter(window, 'vi -u NONE /etc/passwd')
  await expect(screen(window)).toContainText('root:x:0:0')
  await enter(window, ':q!')
  await expect(screen(window)).toContainText(/next>\s*$/)

  await using flood = await givenFlood()
  await enter(window, `cat ${flood.file}; echo "flood $((1 + 1)) over"`)
  await expect(screen(window)).toContainText('flood 2 over', { timeout: LONG_PATIENCE_MS })

  await enter(window, 'MARK=kept; clear')
  await window.reload()
  await expect(window.getByRole('status').filter({ hasText: /^Back in / })).toBeVisible()
  await window.locator('.xterm').click()
  await enter(window, 'echo "is $MARK"')
  await expect(screen(window)).toContainText('is kept')

  await test.step('a colleague watches in another browser, then types too; both see who is there', async () => {
    const ben = await openConsole({ as: await addColleague(admin), path: new URL(window.url()).pathname })
    const shown = ben.locator('.xterm-rows').filter({ visible: true })
    const people = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text })
    await expect(shown).toContainText(/[$#] *$/)
    await joinTerminal(ben, 'Watch the terminal of admin')
    await expect(ben.getByText(/^Watching, without typing, \//)).toBeVisible()
    await expect(shown).toContainText('is kept')
    await expect(people(ben, 'admin opened it · Ben (ben) watches')).toBeVisible()
    await expect(people(window, 'admin opened it · Ben (ben) watches')).toBeVisible()
    await enter(ben, 'echo "not $((40 + 1))"')
    await enter(window, 'echo "seen $((40 + 2))"')
    await expect(shown).toContainText('seen 42')
    await expect(screen(window)).not.toContainText('not 41')
    await ben.getByRole('button', { name: 'Leave' }).filter({ visible: true }).click()
    await expect(ben.getByText('You left the session.')).toBeVisible()
    await expect(people(window, 'Ben (ben)')).toBeHidden()

    await joinTerminal(ben, 'Type into the terminal of admin')
    await expect(people(window, 'admin opened it · Ben (ben) types')).toBeVisible()
    await expect(people(ben, 'admin opened it · Ben (ben) types')).toBeVisible()
    await enter(ben, 'echo "typed by ben $((40 + 3))"')
    await expect(screen(window)).toContainText('typed by ben 43')
    await ben.close()
    await expect(people(window, 'Ben (ben)')).toBeHidden()
  })

  await window.locator('.xterm').click()
  await enter(window, 'exit 3')
  await expect(window.getByText('The shell has ended. Exit code 3.')).toBeVisible()
  await expect
    .poll(async () => {
      const body = { actionFilter: ['remote_session' as const] }
      return (await admin.call(listAudit, { body })).audit_logs.flatMap(({ username, message }) =>
        username === 'ben' ? [] : [message],
      )
    })
    .toEqual([
      expect.stringMatching(/^Ended the terminal on ".+" after \d+ (s|min)/),
      expect.stringMatching(/^Opened a terminal on "/),
    ])

  // The recording plays back, with a second part after the reload.
  await window.getByRole('tab', { name: 'Sessions' }).click()
  await window.getByRole('button', { name: /^Play the recording of admin/ }).click()
  const player = window.getByRole('dialog', { name: /^Recording: admin on / })
  // All of the flood has come as well.
  await expect(player.getByRole('button', { name: 'Download' })).toBeEnabled()
  const words = player.getByRole('searchbox', { name: 'Search recorded terminal' })
  await words.fill('sum 42')
  await words.press('Enter')
  await expect(player.locator('.xterm-rows')).toContainText('sum 42')
  await expect(player.locator('.xterm-rows')).not.toContainText('is kept')
  await words.fill('is kept')
  await words.press('Enter')
  await expect(player.locator('.xterm-rows')).toContainText('is kept')
  await player.getByRole('button', { name: 'Play' }).click()
  await expect(player.getByRole('button', { name: 'Play' })).toBeVisible()
  const body = { actionFilter: ['view' as const] }
  const [viewed] = (await admin.call(listAudit, { body })).audit_logs
  expect(viewed?.message).toMatch(/^Viewed the recording of the terminal of admin on "/)
  agent.expectCleanLog()
})
