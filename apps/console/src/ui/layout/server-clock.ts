import { useSyncExternalStore } from 'react'

/**
 * The time by the clock of the server, which stamps everything that the console shows and judges every time that it sends.
 * The clock of this computer may differ by days: only its differences are used.
 */
export function serverNow(): number {
  return Date.now() + offsetMs
}

/** How far the server's clock is ahead of this computer's, in milliseconds. Negative: behind. 0: nearly the same. */
export function useClockOffset(): number {
  return useSyncExternalStore(onClockChange, () => offsetMs)
}

export function onClockChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** A `Date` header has whole seconds, and it takes a moment to arrive. */
const SAME_WITHIN_MS = 2_000
/** A slower response says too little about the time at which it was written. */
const MAX_ROUND_TRIP_MS = 5_000
const HALF_SECOND_MS = 500

/** Takes the `Date` of a response; `sentMs` and `receivedMs` are by the clock of this computer. */
export function readServerClock({
  date,
  sentMs,
  receivedMs,
}: {
  date: string | null
  sentMs: number
  receivedMs: number
}): void {
  const writtenMs = Date.parse(date ?? '') + HALF_SECOND_MS
  const roundTripMs = receivedMs - sentMs
  if (Number.isNaN(writtenMs) || roundTripMs < 0 || roundTripMs > MAX_ROUND_TRIP_MS) return
  const measuredMs = writtenMs - (sentMs + receivedMs) / 2
  const nextMs = Math.abs(measuredMs) <= SAME_WITHIN_MS ? 0 : measuredMs
  if (nextMs === offsetMs || (nextMs !== 0 && Math.abs(nextMs - offsetMs) <= SAME_WITHIN_MS)) return
  offsetMs = nextMs
  for (const listener of listeners) listener()
}

let offsetMs = 0
const listeners = new Set<() => void>()
