import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { onClockChange, readServerClock, serverNow } from './server-clock.ts'

const OWN_MS = Date.parse('2026-11-29T12:00:00Z')
const DAY_MS = 86_400_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: OWN_MS })
  return () => vi.useRealTimers()
})

/** A response that the server wrote when its clock differed by so much. */
function receive(aheadMs: number, roundTripMs = 0): void {
  const date = new Date(OWN_MS + aheadMs).toUTCString()
  readServerClock({ date, sentMs: OWN_MS - roundTripMs, receivedMs: OWN_MS })
}

test.each([DAY_MS, -DAY_MS, 5_000])('a clock of the server that is %d ms ahead counts', (aheadMs) => {
  onTestFinished(() => receive(0))
  receive(aheadMs)
  expect(serverNow()).toBe(OWN_MS + aheadMs + 500)
})

test('clocks that are nearly the same count as equal', () => {
  for (const aheadMs of [-1_000, 0, 1_000]) {
    receive(aheadMs)
    expect(serverNow()).toBe(OWN_MS)
  }
})

test('a slow response and one without a date say nothing', () => {
  receive(DAY_MS, 6_000)
  receive(DAY_MS, -6_000)
  readServerClock({ date: null, sentMs: OWN_MS, receivedMs: OWN_MS })
  expect(serverNow()).toBe(OWN_MS)
})

test('a corrected clock is noticed, and small differences are not', () => {
  const changes: number[] = []
  onTestFinished(onClockChange(() => changes.push(serverNow() - OWN_MS)))
  for (const aheadMs of [DAY_MS, DAY_MS + 1_000, DAY_MS - 1_000, 0]) receive(aheadMs)
  expect(changes).toEqual([DAY_MS + 500, 0])
})
