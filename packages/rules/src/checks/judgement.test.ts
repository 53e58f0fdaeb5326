import { expect, test } from 'vitest'
import { severityOf } from './judgement.ts'

test('a worse value never gets a lower severity, whatever the thresholds', () => {
  const order = [null, 'info', 'warning', 'error']
  const rank = (value: number, pair: Parameters<typeof severityOf>[0]) =>
    order.indexOf(severityOf(pair, value))
  for (let seed = 1; seed < 3000; seed += 1) {
    const random = (salt: number) => Math.abs(Math.sin(seed * 12.9898 + salt) * 43_758.5453) % 1
    const pair = {
      warning_threshold: random(1) < 0.2 ? null : random(2) * 100 - 50,
      error_threshold: random(3) < 0.2 ? null : random(4) * 100 - 50,
      reverse: random(5) < 0.5,
    }
    const [low, high] = [random(6) * 120 - 60, random(7) * 120 - 60].toSorted((a, b) => a - b) as [
      number,
      number,
    ] // Two.
    const [mild, bad] = pair.reverse ? [high, low] : [low, high]
    expect(rank(bad, pair)).toBeGreaterThanOrEqual(rank(mild, pair))
  }
})
