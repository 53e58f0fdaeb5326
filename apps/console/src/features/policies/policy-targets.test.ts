import type { PolicyTarget } from '@muster/contract/api/policies'
import { expect, test } from 'vitest'
import * as policyTargets from './policy-targets.ts'

const CLIENT: PolicyTarget = { level: 'client', id: 3, monitoring_type: 'server' }
const SEARCH: PolicyTarget = { level: 'search', search: 'debian' }

test('selected targets stay unchanged, and new ones apply to all machines', () => {
  expect(policyTargets.withLocations([CLIENT, SEARCH], ['client-3', 'site-4', 'agent-PC12PC12'])).toEqual([
    SEARCH,
    CLIENT,
    { level: 'site', id: 4, monitoring_type: null },
    { level: 'agent', id: 'PC12PC12' },
  ])
  expect(policyTargets.withLocations([CLIENT, SEARCH], [])).toEqual([SEARCH])
})

test('all machines, servers or workstations', () => {
  const with_ = (slot: policyTargets.Slot | undefined) => policyTargets.withDefault([SEARCH], slot)
  expect(with_(undefined)).toEqual([SEARCH])
  expect(with_('server')).toEqual([{ level: 'default', monitoring_type: 'server' }, SEARCH])
  expect(policyTargets.withDefault(with_('server'), null)).toEqual([
    { level: 'default', monitoring_type: null },
    SEARCH,
  ])
})

test('exclusions are read as they are written', () => {
  const none = { excluded_clients: [1], excluded_sites: [2, 3], excluded_agents: ['PC12PC12'] }
  // exclusionKeys reads only the exclusions.
  const keys = policyTargets.exclusionKeys(none as Parameters<typeof policyTargets.exclusionKeys>[0])
  expect(policyTargets.readExclusions(keys)).toEqual(none)
})
