import { expect, test } from 'vitest'
import { MachineSearchMemory } from './use-machine-view.ts'
import { readFilter, writeFilter } from './search-flags.ts'
import { createMachineQuery, readSearch, splitSearch } from './search-language.ts'
import { ALL_MACHINES, searchByText } from './search-machines.ts'
import { testMachine, testMachines } from './test-machines.ts'

const SETS = new Map([['software:firefox', new Set(['agent0000001'])]])
const CONTEXT = { customFields: [], sets: SETS }
const queryOf = (text: string) => createMachineQuery(readSearch(text, []).parsed.node, CONTEXT)

test('all words of a search count, and the order of the rows stays', () => {
  const rows = [
    testMachine({ hostname: 'b-server', description: 'files' }),
    testMachine({ hostname: 'a-server', description: 'mail' }),
    testMachine({ hostname: 'c-server', description: 'files' }),
  ]
  expect(
    queryOf('SERVER files')
      .find(rows, 0)
      .map(({ hostname }) => hostname),
  ).toEqual(['b-server', 'c-server'])
  expect(queryOf('  ').find(rows, 0)).toBe(rows)
})

test('is: words filter without looking at any text', () => {
  const rows = [testMachine({ needs_reboot: true }), testMachine()]
  expect(queryOf('is:rebootneeded').find(rows, 0)).toEqual([rows[0]])
})

test('a term of the server filters by the machines that it answered', () => {
  const rows = testMachines(3)
  expect(queryOf('software:firefox').find(rows, 0)).toEqual([rows[1]])
  expect(queryOf('-software:firefox').find(rows, 0)).toEqual([rows[0], rows[2]])
})

test('a list to pick from is filtered by words alone', () => {
  const rows = testMachines(20)
  expect(searchByText(rows, 'pc- "site')).toEqual([])
  expect(searchByText(rows, 'pc- site sn12')).toEqual([rows[12]])
})

test('typing letter by letter finds what typing at once finds', () => {
  const rows = testMachines(3000)
  const memory = new MachineSearchMemory()
  const texts = [
    'p',
    'pc',
    'pc-',
    'pc-1',
    'pc-12',
    'pc-1',
    'pc-1 site 3',
    'is:off',
    'is:offline',
    'a or',
    'pc or x',
    '',
  ]
  for (const text of texts) {
    const query = queryOf(text)
    expect(memory.search(rows, query).shown).toEqual(query.find(rows, Date.now()))
  }
})

test('the search for all machines is no narrower than another one', () => {
  const rows = testMachines(5)
  const memory = new MachineSearchMemory()
  expect(memory.search(rows, queryOf('serial:sn2')).shown).toHaveLength(1)
  expect(memory.search(rows, ALL_MACHINES).shown).toBe(rows)
})

test('without a query the machines of the last one stay, and follow changes', () => {
  const rows = testMachines(5)
  const memory = new MachineSearchMemory()
  expect(memory.search(rows, undefined).shown).toEqual([])
  const before = memory.search(rows, queryOf('serial:sn2')).shown
  expect(before).toEqual([rows[2]])
  expect(memory.search(rows, undefined).shown).toEqual(before)
  const renamed = rows.map((row) => (row === rows[2] ? { ...row, serial_number: 'other' } : row))
  expect(memory.search(renamed, undefined).shown).toEqual([])
})

test('the filter form reads and writes the search text, and leaves words alone', () => {
  const text = 'acme is:offline Printer is:rebootneeded "is:nonsense"'
  expect(readFilter(text)).toEqual({ presence: 'is:offline', conditions: ['is:rebootneeded'] })
  expect(writeFilter(text, { presence: undefined, conditions: ['is:maintenance'] })).toBe(
    'acme Printer "is:nonsense" is:maintenance',
  )
  expect(writeFilter('', { presence: 'is:online', conditions: [] })).toBe('is:online')
})

test('a filter beside alternatives and brackets', () => {
  const text = '(is:offline or a) "is:maintenance x" b'
  expect(readFilter(text)).toEqual({ presence: undefined, conditions: [] })
  const choice = { presence: 'is:away', conditions: [] } as const
  expect(writeFilter(text, choice)).toBe(`${text} is:away`)
  expect(writeFilter('a or b', choice)).toBe('(a or b) is:away')
})

test('a search text splits into pieces that are the text again', () => {
  const text = ' is:offline  foo client:"a b" ram<8'
  const parts = splitSearch(text)
  expect(parts.map((part) => part.text).join('')).toBe(text)
  expect(parts.filter(({ kind }) => kind === 'term').map((part) => part.text)).toEqual([
    'is:offline',
    'client:"a b"',
  ])
  expect(parts.filter(({ kind }) => kind === 'error').map((part) => part.text)).toEqual(['8'])
})
