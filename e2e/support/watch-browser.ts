import type { BrowserContext } from '@playwright/test'

/** Chromium's own remark on a refused request; the console shows what the server said. */
export const refusedWith = (status: number): RegExp =>
  new RegExp(`the server responded with a status of ${status}\\b`)
/** Messages of Chromium while the server stops, is gone, and starts again. */
export const SERVER_GONE =
  /net::ERR_(CONNECTION_(REFUSED|RESET|CLOSED)|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)|status of 503|WebSocket connection to .* failed|Failed to load agents/

/** Collects, as lines, what a healthy page never says: console errors, console warnings, uncaught errors, crashes. */
export function watchBrowser(context: BrowserContext, lines: string[]): void {
  context.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    if (message.text().startsWith('Service Worker registration blocked by Playwright')) return
    lines.push(`${message.type()}: ${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (event) => {
    lines.push(`uncaught: ${event.error().stack ?? event.error().message}`)
  })
  context.on('page', (page) => page.on('crash', () => lines.push(`crashed: ${page.url()}`)))
}
