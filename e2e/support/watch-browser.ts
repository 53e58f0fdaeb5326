import type { BrowserContext } from '@playwright/test'

/** Chromium's own remark on a refused request; the console shows what the server said. */
export const refusedWith = (status: number): RegExp =>
  new RegExp(`the server responded with a status of ${status}\\b`)
/** Messages of Chromium while the server stops, is gone, and starts again. */
export const SERVER_GONE =
  /net::ERR_(CONNECTION_(REFUSED|RESET|CLOSED)|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)|status of 503|WebSocket connection to .* failed|Failed to load agents/

/** Messages of Chromium about its own races, which are no defects of a page. */
const OWN_RACES = [
  // Stories answer requests themselves, which a service worker would pass by.
  /^Service Worker registration blocked by Playwright/,
  // A page that is left closes its socket, whether it is open yet or not.
  /WebSocket is closed before the connection is established/,
  // A navigation ends the requests of the page before it.
  /net::ERR_ABORTED/,
]

/** Collects, as lines, what a healthy page never says: console errors, console warnings, uncaught errors, crashes. */
export function watchBrowser(context: BrowserContext, lines: string[]): void {
  context.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    if (OWN_RACES.some((race) => race.test(message.text()))) return
    lines.push(`${message.type()}: ${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (event) => {
    lines.push(`uncaught: ${event.error().stack ?? event.error().message}`)
  })
  context.on('page', (page) => page.on('crash', () => lines.push(`crashed: ${page.url()}`)))
}
