import type { Endpoint } from '@muster/contract/endpoint'
import { sessionStore } from './session.ts'

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
