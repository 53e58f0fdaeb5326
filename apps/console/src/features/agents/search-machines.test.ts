import { expect, test } from 'vitest'
import { MachineSearchMemory, isNarrower } from './use-machine-view.ts'
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

test.each([
  ['', 'a', true],
  ['ab', 'abc', true],
  ['ab', 'ab cd', true],
  ['b', 'abc', true],
  ['abc', 'ab', false],
  ['ab cd', 'ab', false],
  ['ab', 'ab is:offline', true],
  ['ab is:offline', 'abc', false],
  ['is:off', 'is:offline', false],
  ['is:offline', 'is:online', false],
])('after %j the search %j looks through what was found: %j', (before, after, expected) => {
  expect(isNarrower(before, after)).toBe(expected)
})

test('typing letter by letter finds what typing at once finds', () => {
  const rows = testMachines(3000)
  const memory = new MachineSearchMemory()
  for (const text of ['p', 'pc', 'pc-', 'pc-1', 'pc-12', 'pc-1', 'pc-1 site 3', 'is:off', 'is:offline', '']) {
    expect(memory.search(rows, text).shown).toEqual(searchMachines(rows, text, Date.now()))
  }
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
