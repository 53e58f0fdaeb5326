import { expect, test } from 'vitest'
import { readFilter, splitSearch, writeFilter } from './search-flags.ts'
import { searchMachines } from './search-machines.ts'
import { testMachine, testMachines } from './test-machines.ts'

test('all words of a search count, and the order of the rows stays', () => {
  const rows = [
    testMachine({ hostname: 'b-server', description: 'files' }),
    testMachine({ hostname: 'a-server', description: 'mail' }),
    testMachine({ hostname: 'c-server', description: 'files' }),
  ]
  expect(searchMachines(rows, 'SERVER files', 0).map(({ hostname }) => hostname)).toEqual([
    'b-server',
    'c-server',
  ])
  expect(searchMachines(rows, '  ', 0)).toBe(rows)
})

test('is: words filter without looking at any text', () => {
  const rows = [testMachine({ needs_reboot: true }), testMachine()]
  expect(searchMachines(rows, 'is:rebootneeded', 0)).toEqual([rows[0]])
})

test('searching 100,000 machines takes a moment', () => {
  const rows = testMachines(100_000)
  searchMachines(rows, 'warm up', 0)
  const startMs = performance.now()
  const found = searchMachines(rows, 'pc-999 site', 0)
  expect(performance.now() - startMs).toBeLessThan(250)
  expect(found.length).toBeGreaterThan(0)
})

test('the filter form reads and writes the search text, and leaves words alone', () => {
  const text = 'acme is:offline Printer is:rebootneeded is:nonsense'
  expect(readFilter(text)).toEqual({ presence: 'is:offline', conditions: ['is:rebootneeded'] })
  expect(writeFilter(text, { presence: undefined, conditions: ['is:maintenance'] })).toBe(
    'acme Printer is:nonsense is:maintenance',
  )
  expect(writeFilter('', { presence: 'is:online', conditions: [] })).toBe('is:online')
})

test('a search text splits into pieces that are the text again', () => {
  const text = ' is:offline  foo is:'
  const parts = splitSearch(text)
  expect(parts.map((part) => part.text).join('')).toBe(text)
  expect(parts.filter(({ flag }) => flag).map((part) => part.text)).toEqual(['is:offline'])
})
