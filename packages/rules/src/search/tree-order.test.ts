import { expect, test } from 'vitest'
import { DEFAULT_TREE_SORT, isInMaintenance, nodeColor, sortTree, TREE_SORTS } from './tree-order.ts'
import type { NodeColor } from './tree-order.ts'

test.each<[boolean, boolean, boolean, NodeColor | undefined]>([
  [false, false, false, undefined],
  [false, false, true, 'warning'],
  [false, true, false, 'negative'],
  [false, true, true, 'negative'],
  [true, false, false, 'maintenance'],
  [true, false, true, 'maintenance'],
  [true, true, false, 'maintenance'],
  [true, true, true, 'maintenance'],
])('node colour: maintenance %j, error %j, warning %j', (maintenance_mode, error, warning, color) => {
  expect(nodeColor({ maintenance_mode, failing_checks: { error, warning } })).toBe(color)
})

test.each([
  [0, 0, false],
  [1, 0, false],
  [1, 1, true],
  [3, 1, false],
  [3, 2, false],
  [3, 3, true],
])('of %j machines %j are in maintenance: %j', (agent_count, maintenance_count, expected) => {
  expect(isInMaintenance({ agent_count, maintenance_count })).toBe(expected)
})

const node = (name: string, state: 'fine' | 'error' | 'warning' | 'maintenance' = 'fine') => ({
  name,
  maintenance_mode: state === 'maintenance',
  failing_checks: { error: state === 'error' || state === 'maintenance', warning: state === 'warning' },
})

const clients = [
  { ...node('Zeta', 'warning'), sites: [node('north'), node('East', 'error')] },
  {
    ...node('beta'),
    sites: [node('Oslo'), node('Århus'), node('bergen', 'warning'), node('Aachen', 'error')],
  },
  { ...node('Alpha', 'maintenance'), sites: [] },
  { ...node('Éclair', 'error'), sites: [node('only')] },
]
const names = (sort: 'alpha' | 'alphafail') =>
  sortTree(clients, sort).map((client) => [client.name, client.sites.map((site) => site.name)])

test('alphabetical order by locale, whatever the state', () => {
  expect(names('alpha')).toEqual([
    ['Alpha', []],
    ['beta', ['Aachen', 'Århus', 'bergen', 'Oslo']],
    ['Éclair', ['only']],
    ['Zeta', ['East', 'north']],
  ])
})

test('alphafail puts failing nodes first at each level, except those in maintenance', () => {
  expect(names('alphafail')).toEqual([
    ['Éclair', ['only']],
    ['Zeta', ['East', 'north']],
    ['Alpha', []],
    ['beta', ['Aachen', 'bergen', 'Århus', 'Oslo']],
  ])
})

test('sorting does not change its input, so that a cached response may be passed', () => {
  const before = structuredClone(clients)
  sortTree(clients, 'alphafail')
  expect(clients).toEqual(before)
})

test('the default tree sort is alphafail', () => {
  expect(DEFAULT_TREE_SORT).toBe('alphafail')
  expect(TREE_SORTS).toEqual(['alphafail', 'alpha'])
})
