import { expect, test } from 'vitest'
import { pageOf } from './page.ts'

const ROWS = [
  { id: 1, name: 'Zürich', size: 10, note: null },
  { id: 2, name: 'aachen', size: 9, note: 'the old one' },
  { id: 3, name: 'Berlin', size: 100, note: 'new' },
]
const ids = (answer: unknown): unknown =>
  Array.isArray(answer) ? answer.map((row: { id: number }) => row.id) : answer

test.each([
  [{}, [1, 2, 3]],
  [{ sort: 'name' }, [2, 3, 1]],
  [{ sort: '-name' }, [1, 3, 2]],
  [{ sort: 'size' }, [2, 1, 3]],
  [{ sort: '-size' }, [3, 1, 2]],
  [{ search: 'ZÜR' }, [1]],
  [{ search: 'one old' }, [2]],
  [{ search: 'old berlin' }, []],
  [{ search: '  ' }, [1, 2, 3]],
])('%j returns the rows %j', (query, expected) => {
  expect(ids(pageOf(ROWS, query))).toEqual(expected)
})

test('with a page number the response is one page and the total', () => {
  expect(pageOf(ROWS, { page: 2, page_size: 2 })).toEqual({
    total: 3,
    page: 2,
    page_size: 2,
    results: [ROWS[2]],
  })
  expect(pageOf(ROWS, { page: 9 })).toEqual({ total: 3, page: 9, page_size: 50, results: [] })
  expect(pageOf([], { page: 1 })).toMatchObject({ total: 0, results: [] })
})

test('an unknown sort field is refused, whatever its name', () => {
  for (const sort of ['nothing', '__proto__', '-constructor', 'toString']) {
    expect(() => pageOf(ROWS, { sort })).toThrow('cannot be sorted')
  }
})
