import type { AgentRow } from '@muster/contract/api/agents'
import { describe, expect, test } from 'vitest'
import { formatSort, parseSort, resortMachines, sortMachines, toggleSort } from './sort-machines.ts'
import { testCounts, testMachine, testMachines } from './test-machines.ts'

const named = (...names: string[]) =>
  names.map((hostname, index) => testMachine({ hostname, agent_id: `agent000000${index}` }))

describe('the order of machines', () => {
  test('is worst first: overdue, failing, warning, offline, then by name', () => {
    const rows = [
      testMachine({ hostname: 'b' }),
      testMachine({ hostname: 'offline', status: 'offline', connected: false }),
      testMachine({ hostname: 'warning', checks: testCounts({ total: 1, warning: 1 }) }),
      testMachine({ hostname: 'failing', checks: testCounts({ total: 1, failing: 1 }) }),
      testMachine({ hostname: 'overdue', status: 'overdue', connected: false }),
      testMachine({ hostname: 'a', maintenance_mode: true, status: 'overdue' }),
    ]
    const names = (text?: string) => sortMachines(rows, parseSort(text)).map(({ hostname }) => hostname)
    expect(names()).toEqual(['overdue', 'failing', 'warning', 'offline', 'a', 'b'])
    expect(names('-worst')).toEqual(names())
  })

  test('by free space begins with the fullest volume of all machines', () => {
    const disk = (free: number) => ({ mount: '/', total: 100, used: 100 - free, free })
    const rows = [
      testMachine({ hostname: 'none', disks: [] }),
      testMachine({ hostname: 'half', disks: [disk(50)] }),
      testMachine({ hostname: 'full', disks: [disk(90), disk(3)] }),
    ]
    expect(sortMachines(rows, parseSort('disk_free')).map(({ hostname }) => hostname)).toEqual([
      'full',
      'half',
      'none',
    ])
  })

  test('by a metric is by the last values, and machines without one are the least', () => {
    const rows = named('busy', 'idle', 'silent')
    const valueOf = (row: AgentRow | undefined, cpu: number) =>
      [row!.agent_id, { agent_id: row!.agent_id, cpu, memory: null }] as const
    const metrics = new Map([valueOf(rows[0], 90), valueOf(rows[1], 0)])
    const names = (sort: string) =>
      sortMachines(rows, parseSort(sort), metrics).map(({ hostname }) => hostname)
    expect(names('-cpu')).toEqual(['busy', 'idle', 'silent'])
    expect(names('cpu')).toEqual(['silent', 'idle', 'busy'])
    const silent = { ...rows[2]!, needs_reboot: true }
    const after = resortMachines(rows, new Map([[rows[2]!, silent]]), parseSort('-cpu'), metrics)
    expect(after[2]).toBe(silent)
  })

  test('by a custom field is by its value', () => {
    const field = (value: string | boolean) => [{ id: 1, field: 3, agent: 'agent0000000', value }]
    const rows = ['b', 'a', ''].map((value) => testMachine({ custom_fields: field(value) }))
    expect(sortMachines(rows, parseSort('-field_3')).map((row) => row.custom_fields[0]?.value)).toEqual([
      'b',
      'a',
      '',
    ])
  })

  test('goes up, down and back to the default order with clicks on one title', () => {
    const steps = [parseSort(undefined)]
    for (let click = 0; click < 3; click += 1) steps.push(toggleSort(steps.at(-1)!, 'hostname'))
    expect(steps.map((sort) => formatSort(sort))).toEqual([undefined, 'hostname', '-hostname', undefined])
  })

  test('by name has numbers by their size, without regard to case and accents', () => {
    const rows = named('PC-10', 'pc-2', 'Änne', 'Zoe', 'aaa', 'ab')
    expect(sortMachines(rows, parseSort('hostname')).map(({ hostname }) => hostname)).toEqual([
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

  test.each(['worst', 'hostname', '-hostname', 'status', '-last_response', 'description'])(
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
  ['worst', undefined],
  ['hostname', 'hostname'],
  ['field_3', 'field_3'],
  ['-hostname', '-hostname'],
  ['boot_time', 'boot_time'],
  ['nonsense', undefined],
  ['-', undefined],
  ['constructor', undefined],
])('the order %s of the address is written back as %s', (text, written) => {
  expect(formatSort(parseSort(text))).toBe(written)
})
