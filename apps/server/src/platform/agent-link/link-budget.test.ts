import { expect, test } from 'vitest'
import { LinkBudget } from './link-budget.ts'

/** Seconds until so many frames are read by a server that waits whenever the budget says so. */
function timeToRead(frames: number, bytes: number, startMs = 0, budget = new LinkBudget(startMs)): number {
  let nowMs = startMs
  for (let count = 0; count < frames; count += 1) nowMs += budget.spend(bytes, nowMs)
  return (nowMs - startMs) / 1000
}

test('what an agent sends on a usual day never waits', () => {
  const budget = new LinkBudget(0)
  // A terminal's worth of output, a list of software, and a report each second.
  for (let second = 0; second < 3600; second += 1) expect(budget.spend(1000, second * 1000)).toBe(0)
  expect(budget.spend(1_000_000, 3_600_000)).toBe(0)
  for (let chunk = 0; chunk < 32; chunk += 1) expect(budget.spend(32_768, 3_601_000)).toBe(0)
})

test('a machine that was away for a week is read at the pace of its burst, and then at that of the budget', () => {
  // A metrics sample a minute and a report of its checks each two minutes.
  expect(timeToRead(15_000, 1000)).toBeCloseTo(59, 0)
  // A full outbox of 50 MB.
  expect(timeToRead(1500, 32_768)).toBeCloseTo(94, 0)
})

test('a machine that never stops is read at the budget, over a new link too', () => {
  const budget = new LinkBudget(0)
  const spentMs = timeToRead(100_000, 20_000, 0, budget) * 1000
  expect(timeToRead(100, 1_000_000, spentMs, budget)).toBeCloseTo(400, 0)
  expect(timeToRead(1000, 10, spentMs + 600_000, budget)).toBeLessThan(10)
})

test('a budget that is not used for long is whole again', () => {
  const budget = new LinkBudget(0)
  budget.spend(2_000_000, 0)
  expect(budget.isWhole(1000)).toBe(false)
  expect(budget.isWhole(60_000)).toBe(true)
})
