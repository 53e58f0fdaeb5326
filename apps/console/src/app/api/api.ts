import { ApiError, callEndpoint } from '@muster/contract/client'
import type { Endpoint, Input, Output } from '@muster/contract/endpoint'
import { queryOptions } from '@tanstack/react-query'
import { askForProof } from '../session/proof-needed.ts'
import { isReplacedSoon } from '../session/replaced-session.ts'
import { untilSessionEnds } from '../session/session-end.ts'
import { readStoredToken } from '../session/session.ts'
import { createStore, useStore } from '../session/store.ts'
import { readServerClock } from '../../ui/layout/server-clock.ts'
import { queryKey } from './query-key.ts'
import { requestHeaders } from './request-headers.ts'

/**
 * Responses that `public/first-paint.js` requested while this program was loading. Each is used once, by the first call
 * to the same address with the same token; unused responses soon expire.
 */
interface Early {
  token: string
  answers: Record<string, Promise<Response> | undefined>
  /** The `Date` of one of them, and when it was sent and received. */
  clock?: { date: string | null; sentMs: number; receivedMs: number }
}

declare global {
  interface Window {
    musterEarly?: Early
  }
}

const GOOD_FOR_MS = 10_000

/** `fetch`, with the early response if there is one. */
const fetchEarlyFirst: typeof fetch = async (input, init) => {
  const early = typeof input === 'string' ? takeEarly(input, init) : undefined
  if (early !== undefined) {
    const response = await untilAborted(early, init?.signal ?? undefined)
    const clock = window.musterEarly?.clock
    if (clock !== undefined) readServerClock(clock)
    return response
  }
  const sentMs = Date.now()
  const response = await fetch(input, init)
  readServerClock({ date: response.headers.get('date'), sentMs, receivedMs: Date.now() })
  return response
}

function takeEarly(url: string, init: RequestInit | undefined): Promise<Response> | undefined {
  const early = window.musterEarly
  if (early === undefined || init?.method !== 'GET' || performance.now() > GOOD_FOR_MS) return undefined
  if (new Headers(init.headers).get('authorization') !== `Token ${early.token}`) return undefined
  const answer = early.answers[url]
  early.answers[url] = undefined
  return answer
}

function untilAborted(answer: Promise<Response>, signal: AbortSignal | undefined): Promise<Response> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(new DOMException('The request was cancelled.', 'AbortError'))
  if (signal?.aborted === true) abort()
  signal?.addEventListener('abort', abort, { once: true })
  return Promise.race([answer, aborted.promise])
}

/** Pending requests that the user started; they show the loading bar. */
const pending = createStore(0)
let quietDepth = 0

/** Runs `start` without the loading bar for its requests, so that background updates do not flash. */
export function quietly<Result>(start: () => Result): Result {
  quietDepth += 1
  try {
    return start()
  } finally {
    quietDepth -= 1
  }
}

/** Returns `quietly` inside of it, for a request that starts later. */
export function keepQuiet(): typeof quietly {
  return quietDepth > 0 ? quietly : (start) => start()
}

/** Counts a request as pending until it ends. */
async function countPending<Value>(request: () => Promise<Value>): Promise<Value> {
  if (quietDepth > 0) return request()
  pending.set(pending.get() + 1)
  try {
    return await request()
  } finally {
    pending.set(pending.get() - 1)
  }
}

export const usePending = (): boolean => useStore(pending, (count) => count > 0)

export interface CallSettings {
  signal?: AbortSignal
  timeoutMs?: number
}

/**
 * Calls an endpoint as the signed-in user; throws `ApiError`. If the server asks for a proof of who that is, the request
 * is sent again after one.
 */
export async function call<E extends Endpoint>(
  endpoint: E,
  input: Input<E>,
  settings: CallSettings = {},
): Promise<Output<E>> {
  try {
    return await callOnce(endpoint, input, settings)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'proof_needed') throw error
    if (await askForProof(error.message, settings.signal)) return callOnce(endpoint, input, settings)
    throw new ApiError('The request was cancelled.', { status: 0, code: 'aborted', cause: error })
  }
}

function callOnce<E extends Endpoint>(
  endpoint: E,
  input: Input<E>,
  settings: CallSettings,
): Promise<Output<E>> {
  const send = () =>
    callEndpoint(endpoint, input, {
      baseUrl: '',
      headers: requestHeaders,
      fetch: fetchEarlyFirst,
      ...settings,
      signal: untilSessionEnds(endpoint, settings.signal),
    })
  return countPending(async () => {
    const sentToken = readStoredToken()
    try {
      return await send()
    } catch (error) {
      // The user has signed in again, here or in another tab: the 401 was for the old session.
      if (isRefusedSession(error) && (await isReplacedSoon(sentToken))) return send()
      if (error instanceof ApiError) for (const listener of refusalListeners) listener(error, endpoint)
      throw error
    }
  })
}

/** One page of a list, as every paged endpoint answers with `page` in its query. */
export interface Page<Row> {
  total: number
  page: number
  page_size: number
  results: Row[]
}

/** Calls a paged endpoint for one page. Name the row where the endpoint answers several shapes. */
export async function callPage<E extends Endpoint, Row = RowOf<E>>(
  endpoint: E,
  input: Input<E> & { query: { page: number } },
  settings: CallSettings = {},
): Promise<Page<Row>> {
  const answer: unknown = await call(endpoint, input, settings)
  // With `page`, a paged endpoint wraps its rows. The contract says so, but not the response schema.
  return answer as Page<Row>
}

/** Cache options of an endpoint: `useQuery(query(listClients, { query: {} }))`. */
export function query<E extends Endpoint>(endpoint: E, input: Input<E>) {
  return queryOptions({
    queryKey: queryKey(endpoint, input),
    queryFn: ({ signal, meta }) => {
      const ask = () => call(endpoint, input, { signal })
      return meta?.quiet === true ? quietly(ask) : ask()
    },
  })
}

/** Called for every refused or failed request, before the caller gets the error. */
export function onRefusal(listener: (error: ApiError, endpoint: Endpoint) => void): () => void {
  refusalListeners.add(listener)
  return () => refusalListeners.delete(listener)
}

type RowOf<E> = Output<E> extends readonly (infer Row)[] ? Row : never

function isRefusedSession(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401
}

const refusalListeners = new Set<(error: ApiError, endpoint: Endpoint) => void>()
