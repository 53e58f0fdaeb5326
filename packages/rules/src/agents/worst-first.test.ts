import { expect, test } from 'vitest'
import { worstRank } from './worst-first.ts'

const fine = { status: 'online', maintenance_mode: false, checks: { failing: 0, warning: 0 } } as const

test.each([
  [0, { status: 'overdue', checks: { failing: 1, warning: 0 } }],
  [1, { checks: { failing: 1, warning: 4 } }],
  [1, { status: 'offline', checks: { failing: 1, warning: 0 } }],
  [2, { checks: { failing: 0, warning: 1 } }],
  [3, { status: 'offline' }],
  [4, {}],
  [4, { status: 'overdue', maintenance_mode: true, checks: { failing: 2, warning: 0 } }],
] as const)('rank %i: %j', (rank, machine) => {
  expect(worstRank({ ...fine, ...machine })).toBe(rank)
})
