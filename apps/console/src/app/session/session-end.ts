import type { Endpoint } from '@muster/contract/endpoint'
import { sessionStore } from './session.ts'

let token = sessionStore.get().access_token
let ended = new AbortController()

// Whoever signs in anew reads anew; another token in its place ends nothing.
sessionStore.subscribe(() => {
  const before = token
  token = sessionStore.get().access_token
  if (before !== null && token === null) ended.abort()
  if (before === null && token !== null) ended = new AbortController()
})

/**
 * Ends a read with the session in whose name it is sent, in this tab or in another: its answer would be a refusal, and
 * nobody is left to see it. Writes go on to their end.
 */
export function untilSessionEnds(
  endpoint: Endpoint,
  signal: AbortSignal | undefined,
): AbortSignal | undefined {
  if (endpoint.access === 'public' || endpoint.method !== 'GET') return signal
  return signal === undefined ? ended.signal : AbortSignal.any([signal, ended.signal])
}
