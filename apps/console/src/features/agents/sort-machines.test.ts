import { describe, expect, test } from 'vitest'
import { formatSort, parseSort, resortMachines, sortMachines } from './sort-machines.ts'
import { testMachine, testMachines } from './test-machines.ts'

const named = (...names: string[]) =>
  names.map((hostname, index) => testMachine({ hostname, agent_id: `agent000000${index}` }))

describe('the order of machines', () => {
  test('is by name, numbers by their size, without regard to case and accents', () => {
    const rows = named('PC-10', 'pc-2', 'Änne', 'Zoe', 'aaa', 'ab')
    expect(sortMachines(rows, parseSort(undefined)).map(({ hostname }) => hostname)).toEqual([
      'aaa',
      'ab',
      'Änne',
      'pc-2',
      'PC-10',
      'Zoe',
    ])
  })

  test('by the version of the agent is by its numbers', () => {
    const rows = ['0.10.0', '0.9.0', ''].map((version) => testMachine({ version }))
    expect(sortMachines(rows, parseSort('version')).map(({ version }) => version)).toEqual([
      '',
      '0.9.0',
      '0.10.0',
    ])
  })

  test('of equal values is by name in both directions', () => {
    const rows = named('c', 'a', 'b')
    for (const sort of ['plat', '-plat']) {
      expect(sortMachines(rows, parseSort(sort)).map(({ hostname }) => hostname)).toEqual(['a', 'b', 'c'])
    }
  })

  test('by status is online, away, offline, overdue', () => {
    const rows = [
      testMachine({ hostname: 'overdue', status: 'overdue', connected: false }),
      testMachine({ hostname: 'away', connected: false }),
      testMachine({ hostname: 'offline', status: 'offline', connected: false }),
      testMachine({ hostname: 'online' }),
    ]
    expect(sortMachines(rows, parseSort('status')).map(({ hostname }) => hostname)).toEqual([
      'online',
      'away',
      'offline',
      'overdue',
    ])
  })

  test.each(['hostname', '-hostname', 'status', '-last_response', 'description'])(
    'by %s after a few changes equals a full sort',
    (text) => {
      const sort = parseSort(text)
      const rows = testMachines(500)
      const sorted = sortMachines(rows, sort)
      const replaced = new Map(
        rows
          .filter((_, index) => index % 37 === 0)
          .map((row, index) => [
            row,
            {
              ...row,
              hostname: index % 2 === 0 ? row.hostname : `new-${index}`,
              connected: index % 3 === 0,
              status: index % 5 === 0 ? ('overdue' as const) : row.status,
              description: `text ${index % 4}`,
            },
          ]),
      )
      const expected = sortMachines(
        rows.map((row) => replaced.get(row) ?? row),
        sort,
      )
      expect(resortMachines(sorted, replaced, sort)).toEqual(expected)
    },
  )
})

test.each([
  ['hostname', undefined],
  ['-hostname', '-hostname'],
  ['boot_time', 'boot_time'],
  ['nonsense', undefined],
  ['-', undefined],
  ['constructor', undefined],
])('the order %s of the address is written back as %s', (text, written) => {
  expect(formatSort(parseSort(text))).toBe(written)
})
