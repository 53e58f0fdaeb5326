import { expect, test } from 'vitest'
import { EqualNamesMemory, findEqualNames } from './equal-names.ts'
import { patchRows } from './machine-rows.ts'
import { testMachine } from './test-machines.ts'

const ids = { a: 'aaaa00000000', b: 'bbbb00000000', c: 'cccc00000000' }

test('machines of one name show the first value that differs among all of them', () => {
  const vm = { hostname: 'vm' }
  const marks = (...rows: Parameters<typeof testMachine>[0][]) => [
    ...findEqualNames(
      rows.map((row, index) => testMachine({ agent_id: Object.values(ids)[index]!, ...row })),
    ).values(),
  ]
  expect(marks(vm, { hostname: 'other' })).toEqual([])
  expect(marks({ ...vm, client_name: 'Acme' }, { hostname: 'VM', client_name: 'Borealis' })).toEqual([
    'Acme',
    'Borealis',
  ])
  expect(marks({ ...vm, site_name: 'Berlin' }, { ...vm, site_name: 'Munich' })).toEqual([
    'Acme / Berlin',
    'Acme / Munich',
  ])
  expect(marks({ ...vm, local_ips: '10.0.0.1, fe80::1' }, { ...vm, local_ips: '10.0.0.2' })).toEqual([
    '10.0.0.1',
    '10.0.0.2',
  ])
  expect(marks({ ...vm, serial_number: 'S1' }, { ...vm, serial_number: 'S2' })).toEqual(['S1', 'S2'])
  expect(marks(vm, vm, vm)).toEqual(['aaaa0000', 'bbbb0000', 'cccc0000'])
})

test('a change that touches no name keeps the same result, another one does not', () => {
  const memory = new EqualNamesMemory()
  const rows = [testMachine({ agent_id: ids.a }), testMachine({ agent_id: ids.b, client_name: 'Borealis' })]
  const before = memory.find(rows)
  const busy = patchRows(rows, [{ agent_id: ids.a, needs_reboot: true }])
  expect(memory.find(busy)).toBe(before)
  const renamed = patchRows(busy, [{ agent_id: ids.a, hostname: 'PC-2' }])
  expect(memory.find(renamed).size).toBe(0)
})
