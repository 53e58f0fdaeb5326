import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileSearch } from '../search/machine-search.ts'
import { parseSearch } from '../search/parse-search.ts'
import { NOW_MS, testMachine } from '../search/test-machine.ts'
import { FLEET_PARTS, fleetPart, PART_SEARCHES } from './fleet-parts.ts'

const context = { nowMs: NOW_MS, customFields: [], sets: new Map() }
const count = fc.nat({ max: 2 })
const machines = fc
  .record({
    status: fc.constantFrom(...(['online', 'offline', 'overdue'] as const)),
    maintenance_mode: fc.boolean(),
    failing: count,
    warning: count,
    passing: count,
  })
  .map(({ failing, warning, passing, ...state }) =>
    testMachine({
      ...state,
      connected: state.status === 'online',
      checks: { ...testMachine().checks, failing, warning, passing, total: failing + warning + passing },
    }),
  )

test('the search of a part finds exactly its machines', () => {
  fc.assert(
    fc.property(machines, (machine) => {
      const found = FLEET_PARTS.filter((part) => {
        const { node, error } = parseSearch(PART_SEARCHES[part])
        if (error !== undefined) throw new Error(error.message)
        return compileSearch(node, context).matches(machine, '')
      })
      expect(found).toEqual([fleetPart(machine)])
    }),
  )
})

test('a machine without checks is not healthy', () => {
  expect(fleetPart(testMachine())).toBe('unchecked')
  expect(fleetPart(testMachine({ checks: { ...testMachine().checks, total: 1, pending: 1 } }))).toBe(
    'healthy',
  )
  expect(fleetPart(testMachine({ status: 'overdue' }))).toBe('overdue')
})
