import { expect, test } from 'vitest'
import { LinkBudget } from './link-budget.ts'

/** Seconds until a server that obeys the budget has read this many frames. */
function timeToRead(frames: number, bytes: number, startMs = 0, budget = new LinkBudget(startMs)): number {
  let nowMs = startMs
  for (let count = 0; count < frames; count += 1) nowMs += budget.spend(bytes, nowMs)
  return (nowMs - startMs) / 1000
}

test('normal traffic of an agent never waits', () => {
  const budget = new LinkBudget(0)
  // Terminal output, a software list and one report per second.
  for (let second = 0; second < 3600; second += 1) expect(budget.spend(1000, second * 1000)).toBe(0)
  expect(budget.spend(1_000_000, 3_600_000)).toBe(0)
  for (let chunk = 0; chunk < 32; chunk += 1) expect(budget.spend(32_768, 3_601_000)).toBe(0)
})

test('a backlog of one week is read at burst speed, then at the sustained rate', () => {
  // One metrics sample per minute and one report of checks every two minutes.
  expect(timeToRead(15_000, 1000)).toBeCloseTo(59, 0)
  // A full outbox of 50 MB.
  expect(timeToRead(1500, 32_768)).toBeCloseTo(94, 0)
})

test('an agent that never stops sending is read at the sustained rate, also after a reconnect', () => {
  const budget = new LinkBudget(0)
  const spentMs = timeToRead(100_000, 20_000, 0, budget) * 1000
  expect(timeToRead(100, 1_000_000, spentMs, budget)).toBeCloseTo(400, 0)
  expect(timeToRead(1000, 10, spentMs + 600_000, budget)).toBeLessThan(10)
})

test('an unused budget refills', () => {
  const budget = new LinkBudget(0)
  budget.spend(2_000_000, 0)
  expect(budget.isWhole(1000)).toBe(false)
  expect(budget.isWhole(60_000)).toBe(true)
})
