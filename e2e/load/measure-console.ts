import { join } from 'node:path'
import { type Browser, chromium, type Page, type Request } from '@playwright/test'
import { findChromium } from '../../tools/system-programs.ts'
import { storageStateOf } from '../support/sign-in.ts'
import type { BudgetName, Figure } from './budgets.ts'
import { median } from './figures.ts'
import { cpuSeconds } from './process-figures.ts'
import { settle, type Stage } from './stage.ts'

const OPENINGS = 7
const RESTARTS = 3
const SEARCHES = [
  'debian',
  'thinkpad',
  'anna',
  'windows 11',
  'name:srv-*',
  'ram>1gb os:debian',
  'srv-0',
  'client 003',
  'eu prec',
  'laptop-00',
  'tokyo',
  '7840u',
]
const SCROLL_PX = 20_000
const SCROLL_PX_PER_SECOND = 5000
export const WINDOW_SETTLES_MS = 1500
export const VIEWPORT = { width: 1440, height: 900 }
const FLAGS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

/** The dashboard in Chromium with the stage's machines: opened, searched, and scrolled. */
export async function measureConsole(
  stage: Stage,
  budgets: {
    open: BudgetName
    worst: BudgetName
    search: BudgetName
    load?: BudgetName
    scroll?: BudgetName
  },
): Promise<Figure[]> {
  const browser = await launchBrowser()
  try {
    await settle(() => cpuSeconds(stage.server.pid))
    const openings: Opening[] = []
    for (let count = 0; count < OPENINGS; count++) openings.push(await openOnce(browser, stage))
    const opened = openings.map(({ firstRowMs }) => firstRowMs)
    const figures: Figure[] = [
      { budget: budgets.open, value: median(opened), remark: describeSpread(opened) },
      { budget: budgets.worst, value: Math.max(...opened), remark: `of ${OPENINGS} openings` },
      ...(await measureSearch(browser, stage, budgets.search)),
    ]
    if (budgets.scroll !== undefined) figures.push(await measureScroll(browser, stage, budgets.scroll))
    const wire = openings[0]
    if (budgets.load !== undefined && wire !== undefined) {
      const remark = `${wire.files} files`
      figures.unshift({ budget: budgets.load, value: wire.wireBytes / 1000, remark })
    }
    return figures
  } finally {
    await browser.close()
  }
}

/** The first dashboard after a restart of the server, opened as soon as it listens, while its agents reconnect. */
export async function measureFirstOpen(stage: Stage, budget: BudgetName): Promise<Figure[]> {
  await using browser = await launchBrowser()
  const opened: number[] = []
  for (let count = 0; count < RESTARTS; count++) {
    await stage.server.restart()
    opened.push((await openOnce(browser, stage)).firstRowMs)
  }
  return [{ budget, value: Math.max(...opened), remark: `worst of ${RESTARTS}: ${describeSpread(opened)}` }]
}

export async function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('Chromium is not installed')
  const browser = await chromium.launch({ executablePath, args: FLAGS.split(' ') })
  // The first page of a browser pays for the browser.
  await (await browser.newPage()).goto('about:blank')
  return browser
}

interface Opening {
  firstRowMs: number
  wireBytes: number
  files: number
}

/** A browser without cache, signed in, that is sent to the dashboard. */
async function openOnce(browser: Browser, stage: Stage): Promise<Opening> {
  await using opened = await openDashboard(browser, stage)
  const { page, requests } = opened
  const firstRowMs = await page.evaluate<number>('watch.firstRowMs')
  await awaitWholeList(page)
  const sizes = await Promise.all(requests.map((request) => request.sizes()))
  return {
    firstRowMs,
    wireBytes: sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0),
    files: sizes.length,
  }
}

async function measureSearch(browser: Browser, stage: Stage, budget: BudgetName): Promise<Figure[]> {
  await using opened = await openDashboard(browser, stage)
  const { page } = opened
  await awaitWholeList(page)
  const box = page.getByRole('textbox', { name: 'Search machines' })
  await box.focus()
  const timesMs: number[] = []
  // The page listens before anything is typed.
  const timeChange = async (change: () => Promise<void>) => {
    await page.evaluate('void (watch.change = watch.nextCount())')
    await change()
    return page.evaluate<number>('watch.change')
  }
  for (const text of SEARCHES) {
    timesMs.push(await timeChange(() => page.keyboard.insertText(text)))
    await timeChange(() => box.fill(''))
  }
  return [{ budget, value: median(timesMs), remark: describeSpread(timesMs) }]
}

async function measureScroll(browser: Browser, stage: Stage, budget: BudgetName): Promise<Figure> {
  await using opened = await openDashboard(browser, stage)
  const { page } = opened
  await awaitWholeList(page)
  const box = await page.locator('[role=grid]').first().boundingBox()
  if (box === null) throw new Error('the table is not on screen')
  const session = await page.context().newCDPSession(page)
  const frames = page.evaluate<number[]>(`watch.frames(${(SCROLL_PX / SCROLL_PX_PER_SECOND) * 1000})`)
  await session.send('Input.synthesizeScrollGesture', {
    x: Math.round(box.x + box.width / 2),
    y: Math.round(box.y + box.height / 2),
    yDistance: -SCROLL_PX,
    speed: SCROLL_PX_PER_SECOND,
    gestureSourceType: 'mouse',
  })
  const gapsMs = await frames
  const perSecond = (gapsMs.length * 1000) / gapsMs.reduce((sum, gap) => sum + gap, 0)
  return { budget, value: Math.max(...gapsMs), remark: `${perSecond.toFixed(0)} frames/s` }
}

async function openDashboard(browser: Browser, { server, session }: Stage) {
  const context = await browser.newContext({ storageState: storageStateOf(session), viewport: VIEWPORT })
  const page: Page = await context.newPage()
  await page.addInitScript({ path: join(import.meta.dirname, 'page-watch.js') })
  const requests: Request[] = []
  page.on('requestfinished', (request) => {
    if (['script', 'stylesheet'].includes(request.resourceType())) requests.push(request)
  })
  // A new window has the browser busy with its own parts, on the same two cores, as an open one has not.
  await page.waitForTimeout(WINDOW_SETTLES_MS)
  await page.goto(server.url)
  await page.locator('[role=grid] [data-row]').first().waitFor()
  return { page, requests, [Symbol.asyncDispose]: () => context.close() }
}

/** Until the machines of the whole list have followed the first rows. */
async function awaitWholeList(page: Page): Promise<void> {
  await page.locator('[role=tabpanel][aria-busy=false] [role=grid]').waitFor()
}

function describeSpread(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)} ms`
}
