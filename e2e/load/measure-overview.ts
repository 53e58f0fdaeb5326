import { getOverview } from '@muster/contract/api/overview'
import type { Browser } from '@playwright/test'
import { storageStateOf } from '../support/sign-in.ts'
import type { Figure } from './budgets.ts'
import { median, percentile } from './figures.ts'
import { launchBrowser, VIEWPORT, WINDOW_SETTLES_MS } from './measure-console.ts'
import { cpuSeconds } from './process-figures.ts'
import { seedFleet } from './seed-fleet.ts'
import { settle, type Stage } from './stage.ts'

const CALLS = 100
const OPENINGS = 7

/** The overview of the whole fleet: its response, and the page in a browser without cache until its numbers are painted. */
export async function measureOverview(machines: number): Promise<Figure[]> {
  await using stage = await seedFleet(machines)
  await settle(() => cpuSeconds(stage.server.pid))
  const { causes, disks } = await stage.session.call(getOverview, { query: {} })
  const callsMs: number[] = []
  for (let count = 0; count < CALLS; count += 1) {
    const startedMs = performance.now()
    await stage.session.call(getOverview, { query: {} })
    callsMs.push(performance.now() - startedMs)
  }
  await using browser = await launchBrowser()
  const openedMs: number[] = []
  for (let count = 0; count < OPENINGS; count += 1) openedMs.push(await openOnce(browser, stage))
  return [
    {
      budget: 'overviewServer',
      value: percentile(callsMs, 95),
      remark: `median ${median(callsMs).toFixed(1)} ms; ${causes?.total ?? 0} causes, ${disks.total} disks`,
    },
    {
      budget: 'overview',
      value: median(openedMs),
      remark: `${Math.min(...openedMs).toFixed(0)} to ${Math.max(...openedMs).toFixed(0)} ms`,
    },
  ]
}

/** Milliseconds from the navigation to the frame in which the numbers stand. */
async function openOnce(
  browser: Browser,
  { server, session }: Pick<Stage, 'server' | 'session'>,
): Promise<number> {
  await using context = await browser.newContext({
    storageState: storageStateOf(session),
    viewport: VIEWPORT,
  })
  const page = await context.newPage()
  await page.addInitScript(WATCH)
  await page.waitForTimeout(WINDOW_SETTLES_MS)
  await page.goto(`${server.url}/overview`)
  // Awaited here: the window closes at the end of this function.
  return await page.evaluate<number>('window.numbersMs')
}

/** A message after the next frame begins: that frame, with the numbers, is painted by then. */
const WATCH = `window.numbersMs = new Promise((resolve) => {
  const observer = new MutationObserver(() => {
    if (document.querySelector('[aria-label="Machines by state"] li') === null) return
    observer.disconnect()
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => resolve(performance.now())
      port2.postMessage(null)
    })
  })
  observer.observe(document, { childList: true, subtree: true })
})`
