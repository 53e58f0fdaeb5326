import { expect, test } from 'vitest'
import { toSortKey } from './tree-order.ts'

test.each([
  [
    ['PC-10', 'pc-2', 'PC-1'],
    ['PC-1', 'pc-2', 'PC-10'],
  ],
  [
    ['Zürich', 'aachen', 'Åre', 'Berlin'],
    ['aachen', 'Åre', 'Berlin', 'Zürich'],
  ],
  [
    ['b', '', 'a'],
    ['', 'a', 'b'],
  ],
  [
    ['srv-9999999999999', 'srv-1'],
    ['srv-1', 'srv-9999999999999'],
  ],
])('names sort without case and accents, numbers by value: %j', (names, sorted) => {
  const order = names.toSorted((a, b) => (toSortKey(a) < toSortKey(b) ? -1 : 1))
  expect(order).toEqual(sorted)
})
