import type { PolicyTarget } from '@muster/contract/api/policies'
import { expect, test } from 'vitest'
import * as places from './policy-places.ts'

const CLIENT: PolicyTarget = { level: 'client', id: 3, monitoring_type: 'server' }
const SEARCH: PolicyTarget = { level: 'search', search: 'debian' }

test('what is chosen stays as it was, and what is new is for all machines of it', () => {
  expect(places.withPlaces([CLIENT, SEARCH], ['client-3', 'site-4', 'agent-PC12PC12'])).toEqual([
    SEARCH,
    CLIENT,
    { level: 'site', id: 4, monitoring_type: null },
    { level: 'agent', id: 'PC12PC12' },
  ])
  expect(places.withPlaces([CLIENT, SEARCH], [])).toEqual([SEARCH])
})

test('all machines, servers or workstations', () => {
  const with_ = (slot: places.Slot | undefined) => places.withDefault([SEARCH], slot)
  expect(with_(undefined)).toEqual([SEARCH])
  expect(with_('server')).toEqual([{ level: 'default', monitoring_type: 'server' }, SEARCH])
  expect(places.withDefault(with_('server'), null)).toEqual([
    { level: 'default', monitoring_type: null },
    SEARCH,
  ])
})

test('exclusions are read as they are written', () => {
  const none = { excluded_clients: [1], excluded_sites: [2, 3], excluded_agents: ['PC12PC12'] }
  // Only the exclusions are looked at.
  const keys = places.exclusionKeys(none as Parameters<typeof places.exclusionKeys>[0])
  expect(places.readExclusions(keys)).toEqual(none)
})
