import { expect, test } from 'vitest'
import { closesCircle } from './check-key.ts'

const parents = new Map<number, number | null>([
  [1, 2],
  [2, 3],
  [3, null],
  // An existing cycle is not followed forever.
  [8, 9],
  [9, 8],
])

test.each([
  [1, 1, true],
  [3, 1, true],
  [2, 1, true],
  [4, 1, false],
  [1, 3, false],
  [4, 5, false],
  [4, 8, false],
])('%i on %i: %s', (id, on, closes) => {
  expect(closesCircle(id, on, parents)).toBe(closes)
})
