import { expect, test } from 'vitest'
import { toCsv } from '../../ui/table/CsvButton.tsx'
import { allColumns, defaultColumns, showColumns } from './machine-columns.tsx'
import { AgentValueName } from '@muster/contract/api/agent-values'
import { machinesTable } from './machine-text.ts'
import { VALUE_COLUMNS } from './value-columns.tsx'
import { testCounts, testMachine } from './test-machines.ts'

const FIELDS = [
  { id: 3, name: 'Room', model: 'agent' as const },
  { id: 4, name: 'SLA', model: 'client' as const },
]

test('a file has the shown columns in their order, and no cell is a formula', () => {
  const row = testMachine({
    hostname: '=cmd()',
    tags: ['kiosk', 'pilot'],
    checks: testCounts({ total: 3, failing: 1, passing: 2 }),
    custom_fields: [{ id: 1, field: 3, agent: 'agent0000000', value: 'Attic' }],
  })
  const { columns } = showColumns(
    ['field_3', 'hostname', 'tags', 'checks', 'field_9'].map((id) => ({ id, width: null })),
    allColumns(FIELDS),
  )
  expect(toCsv(machinesTable(columns, [row]))).toBe(
    [
      '"Room","Hostname","Tags","Checks"',
      `"Attic","'=cmd()","kiosk, pilot","1 failing, 0 warning, 2 passing of 3"`,
      '',
    ].join('\r\n'),
  )
})

test('a file has the last metrics of machines, without rounding', () => {
  const columns = allColumns([]).filter(({ id }) => id === 'cpu' || id === 'memory')
  const row = testMachine()
  const metrics = new Map([[row.agent_id, { agent_id: row.agent_id, cpu: 12.4, memory: null }]])
  expect(machinesTable(columns, [row], metrics)).toEqual([
    ['CPU load', 'Memory in use'],
    [12.4, null],
  ])
})

test('a file has values that the server lists by name as they are', () => {
  const columns = VALUE_COLUMNS.filter(({ id }) => id === 'value_net_in' || id === 'value_enrolled')
  const row = testMachine()
  const values = { value_net_in: 1536.25, value_enrolled: '2026-11-21T09:00:00.000Z' }
  expect(machinesTable(columns, [row], new Map([[row.agent_id, values]]))).toEqual([
    ['Network in', 'Enrolled'],
    [1536.25, '2026-11-21T09:00:00.000Z'],
  ])
})

test('each value that the server lists has a column', () => {
  expect(VALUE_COLUMNS.map(({ id }) => id)).toEqual(AgentValueName.options.map((name) => `value_${name}`))
})

test('every column has a text', () => {
  const columns = allColumns(FIELDS)
  const [titles, cells] = machinesTable(columns, [testMachine({ custom_fields: [], graphics: 'Intel' })])
  expect(titles).toEqual(columns.map(({ title }) => title))
  expect(cells?.map((cell) => cell !== undefined)).toEqual(columns.map(() => true))
})

test('the default columns fit into the table at 1440 pixels', () => {
  const least = showColumns(defaultColumns({ version: false, tags: true }), allColumns([])).minWidth
  expect(least).toBeLessThanOrEqual(1142)
})

test('a chosen width replaces the usual one', () => {
  const { columns, minWidth } = showColumns(
    [
      { id: 'hostname', width: 300 },
      { id: 'status', width: null },
    ],
    allColumns([]),
  )
  expect(columns.map(({ width }) => width)).toEqual(['300px', '113px'])
  expect(minWidth).toBe(453)
})
