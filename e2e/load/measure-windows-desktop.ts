import type { Page } from '@playwright/test'
import { bundleForWine } from '../../apps/agent/wine/run-in-wine.ts'
import { isPrepared, WineMachine } from '../../apps/agent/wine/wine-machine.ts'
import { canIsolate } from '../../tools/system-programs.ts'
import { TestDisplay } from '../support/display.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { signIn } from '../support/sign-in.ts'
import { startServer } from '../support/start-server.ts'
import type { Figure } from './budgets.ts'
import { median, percentile } from './figures.ts'
import { lookAt, pressKeys } from './measure-desktop.ts'
import { cpuSeconds } from './process-figures.ts'

const PICTURES_FOR_MS = 10_000
const PRESSES = 40
/** Notepad's line and column, which no caret blinks in, and a point in its page. */
const COLUMN_SHOWN = [4, 544, 120, 20]
const PAGE = { x: 300, y: 300 }
const FOCUS_MS = 20_000
const SCREEN_WIDTH = 1280
const QUIET_AFTER_MS = 5000
const IDLE_MS = 30_000
const DATA = ['--data', 'C:\\ProgramData\\Muster Agent']

/**
 * A desktop of Windows as a browser shows it: pictures a second of moving content, a key pressed until a pixel changes,
 * and the processor time of a desktop on which nothing changes but a caret. Nothing if Wine is not prepared.
 */
export async function measureWindowsDesktop(
  given: { picturesForMs?: number; presses?: number; idleMs?: number } = {},
): Promise<Figure[]> {
  const { picturesForMs = PICTURES_FOR_MS, presses = PRESSES, idleMs = IDLE_MS } = given
  if (!isPrepared() || !canIsolate()) {
    console.log(
      'Left out: the desktop of Windows. It needs root and Wine, which `npx vitest --project wine` prepares.',
    )
    return []
  }
  await using server = await startServer()
  const session = await signIn(server.url, server.admin)
  const token = await makeToken(session, await addClient(session, 'Desktops'), { plat: 'windows' })
  await using display = await TestDisplay.open({ command: null })
  await using machine = await WineMachine.start({ display: display.name })
  machine.start(['notepad'])
  const agent = machine.layProgram('C:\\Muster')
  const code = await machine.run([...agent, 'enrol', '--server', server.url, '--token', token, ...DATA])
  if (code !== 0) throw new Error(machine.readOutput())
  machine.start([...agent, 'run', ...DATA])
  const { keys, idle, pictures } = await lookAt(session, server.url, async (page) => {
    await focusNotepad(page)
    const timesMs = await pressKeys(page, presses)
    const quiet = await watchIdle(machine, idleMs)
    await page.evaluate('void (screenWatch.area = [0, 0, 600, 24])')
    machine.start(await bundleForWine('draw-moving-picture.ts'))
    await page.evaluate('screenWatch.moves()')
    return {
      keys: timesMs,
      idle: quiet,
      pictures: await page.evaluate<number>(`screenWatch.pictures(${picturesForMs})`),
    }
  })
  return [
    {
      budget: 'windowsPictures',
      value: pictures,
      remark: '636 x 468 of 1280 x 800 move, quality "Balanced"',
    },
    { budget: 'windowsKey', value: median(keys), remark: `p95 ${percentile(keys, 95).toFixed(0)} ms` },
    {
      budget: 'windowsIdle',
      value: idle.desktop,
      remark: `a caret blinks; Wine's server beside it ${idle.wine.toFixed(1)} %`,
    },
  ]
}

/** Clicks into Notepad, and types until it counts the columns. */
async function focusNotepad(page: Page): Promise<void> {
  const canvas = page.locator('canvas')
  const shown = (await canvas.boundingBox())?.width ?? SCREEN_WIDTH
  const scale = shown / SCREEN_WIDTH
  await page.evaluate(`void (screenWatch.area = ${JSON.stringify(COLUMN_SHOWN)})`)
  const before = await page.evaluate<number>('screenWatch.strip()')
  const deadline = Date.now() + FOCUS_MS
  while ((await page.evaluate<number>('screenWatch.strip()')) === before) {
    if (Date.now() > deadline) throw new Error('Notepad takes no keys')
    await canvas.click({ position: { x: PAGE.x * scale, y: PAGE.y * scale } })
    await page.keyboard.press('x')
    await sleep(500)
  }
}

/** Percent of a core that the process with the desktop and Wine's server use. */
async function watchIdle(machine: WineMachine, forMs: number): Promise<{ desktop: number; wine: number }> {
  const [desktop, wine] = [/ desktop$/, /wineserver/].map((pattern) => machine.findProcess(pattern))
  if (desktop === undefined || wine === undefined) throw new Error('no process shows the desktop')
  await sleep(QUIET_AFTER_MS)
  const startedMs = performance.now()
  const before = [cpuSeconds(desktop), cpuSeconds(wine)]
  await sleep(forMs)
  const seconds = (performance.now() - startedMs) / 1000
  const [ofDesktop = 0, ofWine = 0] = [desktop, wine].map(
    (pid, index) => ((cpuSeconds(pid) - (before[index] ?? 0)) / seconds) * 100,
  )
  return { desktop: ofDesktop, wine: ofWine }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
