import { expect, test } from 'vitest'
import { countMoves, keepOrder } from './use-kept-order.ts'

const own = (text: string) => text

test('known rows keep their place, gone ones leave it, and new ones follow', () => {
  expect(keepOrder(['d', 'c', 'a'], ['a', 'b', 'c'], own)).toEqual(['a', 'c', 'd'])
  expect(keepOrder(['b', 'a'], [], own)).toEqual(['b', 'a'])
})

test('only rows that move are counted, not those that make room', () => {
  expect(countMoves(['a', 'b', 'c', 'd'], ['a', 'b', 'c', 'd'])).toBe(0)
  expect(countMoves(['a', 'b', 'c', 'd'], ['d', 'a', 'b', 'c'])).toBe(1)
  expect(countMoves(['a', 'b', 'c', 'd'], ['d', 'c', 'b', 'a'])).toBe(3)
  expect(countMoves([], [])).toBe(0)
})
