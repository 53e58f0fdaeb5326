import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { findChromium } from '../../tools/system-programs.ts'
import { TestDisplay } from '../support/display.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { type Session, signIn, storageStateOf } from '../support/sign-in.ts'
import { type AgentOptions, startAgent } from '../support/start-agent.ts'
import { startServer } from '../support/start-server.ts'
import type { Figure } from './budgets.ts'
import { median, percentile } from './figures.ts'
import { waitForMachine } from './measure-api.ts'

const PICTURES_FOR_MS = 10_000
// As many as fit into the watched strip.
const PRESSES = 40
const BETWEEN_PRESSES_MS = 150
const VIEWPORT = { width: 1400, height: 900 }
const FLAGS = '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking'
/** A window of 636 by 468 pixels that is redrawn sixty times a second, on a desktop of 1280 by 800. */
const MOVING = {
  look: ['-geometry', '106x36+0+0', '-fn', '6x13', '-bg', 'black'],
  command: [process.execPath, join(import.meta.dirname, 'moving-picture.ts')],
}

/** A desktop as a browser shows it: pictures a second of moving content, and a key pressed until a pixel changes. */
export async function measureDesktop(
  given: { picturesForMs?: number; presses?: number; program?: AgentOptions['program'] } = {},
): Promise<Figure[]> {
  const { picturesForMs = PICTURES_FOR_MS, presses = PRESSES, program = 'bundle' } = given
  await using server = await startServer()
  const session = await signIn(server.url, server.admin)
  const token = await makeToken(session, await addClient(session, 'Desktops'))
  const show = async <T>(
    what: Parameters<typeof TestDisplay.open>[0],
    measure: (page: Page) => Promise<T>,
  ) => {
    await using display = await TestDisplay.open(what)
    await using _agent = await startAgent({
      server: server.url,
      token,
      program,
      env: { DISPLAY: display.name },
    })
    // Awaited here: agent and display are gone when this block is left.
    return await lookAt(session, server.url, measure)
  }
  const keys = await show({ command: ['cat'] }, (page) => pressKeys(page, presses))
  const perSecond = await show(MOVING, (page) =>
    page.evaluate<number>(`screenWatch.pictures(${picturesForMs})`),
  )
  return [
    {
      budget: 'desktopPictures',
      value: perSecond,
      remark: '636 x 468 of 1280 x 800 move, quality "Balanced"',
    },
    { budget: 'desktopKey', value: median(keys), remark: `p95 ${percentile(keys, 95).toFixed(0)} ms` },
  ]
}

/** Opens the desktop of the machine of the client "Desktops" in Chromium. */
export async function lookAt<T>(
  session: Session,
  url: string,
  measure: (page: Page) => Promise<T>,
): Promise<T> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('Chromium is not installed')
  const agentId = await waitForMachine(session, 'Desktops')
  const browser = await chromium.launch({ executablePath, args: FLAGS.split(' ') })
  try {
    const context = await browser.newContext({
      baseURL: url,
      viewport: VIEWPORT,
      storageState: storageStateOf(session),
    })
    await context.addInitScript({ path: join(import.meta.dirname, 'screen-watch.js') })
    const page = await context.newPage()
    await page.goto(`/takecontrol/${agentId}`)
    await page.locator('canvas:focus').waitFor({ timeout: 30_000 })
    // The first picture is complete by then.
    await new Promise((resolve) => setTimeout(resolve, 2000))
    return await measure(page)
  } finally {
    await browser.close()
  }
}

/** Milliseconds from each key to the changed strip. */
export async function pressKeys(page: Page, presses: number): Promise<number[]> {
  const timesMs: number[] = []
  for (let press = 0; press < presses; press += 1) {
    await page.evaluate('void (screenWatch.key = screenWatch.nextKey())')
    await page.keyboard.press('x')
    timesMs.push(await page.evaluate<number>('screenWatch.key'))
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_PRESSES_MS))
  }
  return timesMs
}
