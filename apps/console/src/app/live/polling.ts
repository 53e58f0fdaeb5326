import { getMachineCounts } from '@muster/contract/calls/system'
import { EVENTS } from '@muster/contract/events'
import type { Counts } from '@muster/contract/live-messages'
import type { QueryClient } from '@tanstack/react-query'
import { call, quietly } from '../api/api.ts'

export const POLL_EVERY_MS = 5_000
/** Pause after a poll, as a multiple of its duration: thousands of machines are requested less often. */
const PAUSE_FACTOR = 4
const COUNTS_WITHIN_MS = 10_000

interface PollingHandlers {
  /** Null for users who may not list machines. */
  onCounts(counts: Counts | null): void
  /** The server did not respond. */
  onFailed(): void
}

/** Replaces live messages: every few seconds, while the page is visible, requests what is on screen. */
export function startPolling(queryClient: QueryClient, handlers: PollingHandlers): Disposable {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isPolling = false
  let isOver = false

  const poll = async () => {
    clearTimeout(timer)
    // Becoming visible again continues.
    if (isPolling || isOver || document.visibilityState === 'hidden') return
    isPolling = true
    const startedAtMs = performance.now()
    await pollOnce()
    isPolling = false
    if (isOver) return
    const pauseMs = Math.max(POLL_EVERY_MS, (performance.now() - startedAtMs) * PAUSE_FACTOR)
    timer = setTimeout(() => void poll(), pauseMs)
  }
  const pollOnce = async () => {
    try {
      const counts = await quietly(() => call(getMachineCounts, {}, { timeoutMs: COUNTS_WITHIN_MS }))
      if (!isOver) handlers.onCounts(counts)
    } catch {
      // The lists would fail as well, each with a message.
      if (!isOver) handlers.onFailed()
      return
    }
    if (isOver) return
    await quietly(() =>
      queryClient.invalidateQueries(
        { predicate: ({ queryKey: [endpoint] }) => LIVE.has(endpoint) },
        // A request that is under way is new enough.
        { cancelRefetch: false },
      ),
    )
  }
  const onVisible = () => void poll()
  document.addEventListener('visibilitychange', onVisible)
  void poll()
  return {
    [Symbol.dispose]() {
      isOver = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisible)
    },
  }
}

/** Responses that a live message can make stale. Others, such as those of a machine's tools, are too expensive. */
const LIVE: ReadonlySet<unknown> = new Set(
  Object.values(EVENTS).flatMap(({ stale }) => stale.map(({ endpoint }) => endpoint)),
)
