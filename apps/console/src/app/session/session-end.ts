import type { Endpoint } from '@muster/contract/endpoint'
import { sessionStore } from './session.ts'

/** This tab's visible or loading page, for /expired to remember: the router's state has moved on when a guard runs. */
let lastPage: string | undefined

export function notePage(href: string): void {
  if (!/^\/(login|expired|account\/provider)\b/.test(href)) lastPage = href
}

/** The last requested page other than sign-in and sign-out. */
export const lastPageShown = (): string | undefined => lastPage

let ledByOtherTab = false

/** The redirect to /expired comes from another tab, which remembers the page itself. */
export function noteOtherTab(): void {
  ledByOtherTab = true
}

/** The page to remember on entering /expired. */
export function takePageToRemember(): string | undefined {
  const page = ledByOtherTab ? undefined : lastPage
  ledByOtherTab = false
  return page
}

let token = sessionStore.get().access_token
let ended = new AbortController()

// A new sign-in reads again; a replaced token ends nothing.
sessionStore.subscribe(() => {
  const before = token
  token = sessionStore.get().access_token
  if (before !== null && token === null) ended.abort()
  if (before === null && token !== null) ended = new AbortController()
})

/**
 * Aborts a read when its session ends, in this tab or another: the response would be a 401 that nobody needs. Writes
 * continue.
 */
export function untilSessionEnds(
  endpoint: Endpoint,
  signal: AbortSignal | undefined,
): AbortSignal | undefined {
  if (endpoint.access === 'public' || endpoint.method !== 'GET') return signal
  return signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal])
}
