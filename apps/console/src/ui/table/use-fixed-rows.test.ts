import { describe, expect, test } from 'vitest'
import { rangeInView, scrolledTo } from './use-fixed-rows.ts'

const LIST = { count: 1000, rowPx: 30, headPx: 30, overscan: 6 }

describe('the rows in view', () => {
  test.each([
    ['at the top', { topPx: 0, heightPx: 330 }, LIST, [0, 17]],
    ['in the middle', { topPx: 3000, heightPx: 330 }, LIST, [94, 117]],
    ['at the end', { topPx: 30 * 990, heightPx: 330 }, LIST, [983, 1000]],
    ['of a short list', { topPx: 0, heightPx: 330 }, { ...LIST, count: 3 }, [0, 3]],
    [
      'after a search left fewer than one had scrolled past',
      { topPx: 3000, heightPx: 330 },
      { ...LIST, count: 12 },
      [0, 12],
    ],
    ['of no list', { topPx: 0, heightPx: 330 }, { ...LIST, count: 0 }, [0, 0]],
    ['before anything is measured', { topPx: 0, heightPx: 0 }, LIST, [0, 7]],
    ['before anything is drawn', { topPx: 3000, heightPx: 330 }, { ...LIST, overscan: 0 }, [100, 111]],
  ])('%s', (_name, view, list, [first, end]) => {
    expect(rangeInView(view, list)).toEqual({ first, end })
  })
})

test.each([
  ['below the view', 20, 0, 330],
  ['above the view', 5, 600, 150],
  ['in the view', 5, 60, 60],
  ['first', 0, 600, 0],
])('a row %s is scrolled to as little as possible', (_name, index, scrollTop, expected) => {
  expect(scrolledTo(index, LIST, { scrollTop, clientHeight: 330 })).toBe(expected)
})
