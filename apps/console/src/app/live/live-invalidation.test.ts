import { getAgent, listAgents } from '@muster/contract/api/agents'
import { listClients } from '@muster/contract/api/clients'
import { listPatchFailures } from '@muster/contract/api/patches'
import { getHistory, listAgentHistory } from '@muster/contract/api/runs'
import type { Endpoint } from '@muster/contract/endpoint'
import { EVENT_TYPES, eventRule } from '@muster/contract/events'
import { expect, test } from 'vitest'
import { queryKey } from '../api/query-key.ts'
import { isStale } from './live-invalidation.ts'

const agentA = queryKey(getAgent, { params: { agent_id: 'aaaaaaaa' } })
const agentB = queryKey(getAgent, { params: { agent_id: 'bbbbbbbb' } })

test.each([
  ['the machine that changed', agentA, [{ type: 'agent.changed', ids: ['aaaaaaaa'] }], true],
  ['another machine', agentB, [{ type: 'agent.changed', ids: ['aaaaaaaa'] }], false],
  ['any machine when the event names none', agentB, [{ type: 'agent.changed', ids: [] }], true],
  [
    'the list of machines, which follows by rows',
    queryKey(listAgents, { query: {} }),
    [{ type: 'agent.changed', ids: ['aaaaaaaa'] }],
    false,
  ],
  [
    'the list of machines when one is new',
    queryKey(listAgents, { query: {} }),
    [{ type: 'agent.added', ids: ['aaaaaaaa'] }],
    true,
  ],
  [
    'clients when one is renamed',
    queryKey(listClients, { query: {} }),
    [{ type: 'client.changed', ids: [3] }],
    true,
  ],
  [
    'the history of a machine',
    queryKey(listAgentHistory, { params: { agent_id: 'aaaaaaaa' }, query: {} }),
    [{ type: 'history.changed', ids: [7] }],
    true,
  ],
  [
    'the entry that changed',
    queryKey(getHistory, { params: { id: 7 } }),
    [{ type: 'history.changed', ids: [7] }],
    true,
  ],
  [
    'another entry',
    queryKey(getHistory, { params: { id: 8 } }),
    [{ type: 'history.changed', ids: [7] }],
    false,
  ],
  [
    'failed installations when a run ends',
    queryKey(listPatchFailures, { query: {} }),
    [{ type: 'history.changed', ids: [7] }],
    true,
  ],
  [
    'what the second of two events names',
    agentB,
    [
      { type: 'note.changed', ids: [1] },
      { type: 'agent.changed', ids: ['bbbbbbbb'] },
    ],
    true,
  ],
  ['a key that no endpoint made', ['something'], [{ type: 'agent.added', ids: [] }], false],
] as const)('stale after an event: %s', (_what, key, events, expected) => {
  expect(isStale(key, events)).toBe(expected)
})

test('every query that an event invalidates is an endpoint of the contract', () => {
  const files: Record<string, Record<string, unknown>> = import.meta.glob(
    '../../../../../packages/contract/src/api/*.ts',
    { eager: true },
  )
  const known = new Set(
    Object.values(files)
      .flatMap((file) => Object.values(file))
      .filter((item): item is Endpoint => typeof item === 'object' && item !== null && 'path' in item)
      .map((endpoint) => queryKey(endpoint)[0]),
  )
  const stale = EVENT_TYPES.flatMap((type) => eventRule(type).stale)
  expect(stale.filter(({ endpoint }) => !known.has(endpoint))).toEqual([])
  expect(stale.length).toBeGreaterThan(0)
})

test('every event that consoles get makes an answer stale', () => {
  const received = EVENT_TYPES.filter((type) => eventRule(type).scope !== 'none')
  expect(received.filter((type) => eventRule(type).stale.length === 0)).toEqual([])
})
