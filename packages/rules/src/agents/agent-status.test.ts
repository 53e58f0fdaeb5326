import { expect, test } from 'vitest'
import { agentPresence, agentStatus, nextStatusChangeAt, statusRank, toPresence } from './agent-status.ts'
import type { AgentPresence, AgentSighting, AgentStatus } from './agent-status.ts'

const MINUTE = 60_000
const seenMs = Date.parse('2026-11-21T09:00:00.000Z')
const agent = (change: Partial<AgentSighting> = {}): AgentSighting => ({
  last_seen: '2026-11-21T09:00:00.000Z',
  connected: false,
  offline_time: 4,
  overdue_time: 30,
  ...change,
})

test.each<[string, Partial<AgentSighting>, number, [AgentStatus, AgentPresence]]>([
  ['just seen, link lost', {}, 0, ['online', 'away']],
  ['exactly offline_time ago', {}, 4 * MINUTE, ['online', 'away']],
  ['a millisecond more', {}, 4 * MINUTE + 1, ['offline', 'offline']],
  ['exactly overdue_time ago', {}, 30 * MINUTE, ['offline', 'offline']],
  ['a millisecond more', {}, 30 * MINUTE + 1, ['overdue', 'overdue']],
  ['a year ago', {}, 365 * 1440 * MINUTE, ['overdue', 'overdue']],
  ['seen in the future, after a clock change', {}, -60 * MINUTE, ['online', 'away']],
  ['its own minutes', { offline_time: 2, overdue_time: 3 }, 2.5 * MINUTE, ['offline', 'offline']],
  ['overdue before offline', { offline_time: 60, overdue_time: 10 }, 11 * MINUTE, ['overdue', 'overdue']],
  ['never seen', { last_seen: null }, 0, ['offline', 'offline']],
  ['an unreadable instant', { last_seen: 'yesterday' }, 0, ['offline', 'offline']],
  ['connected', { connected: true }, 0, ['online', 'online']],
  ['connected, last written long ago', { connected: true }, 99 * MINUTE, ['online', 'online']],
  ['connected for the first time', { connected: true, last_seen: null }, 0, ['online', 'online']],
])('%s', (_case, change, silentMs, [status, presence]) => {
  expect(agentStatus(agent(change), seenMs + silentMs)).toBe(status)
  expect(agentPresence(agent(change), seenMs + silentMs)).toBe(presence)
})

test.each<[AgentStatus, boolean, AgentPresence]>([
  ['online', true, 'online'],
  ['online', false, 'away'],
  ['offline', false, 'offline'],
  ['overdue', false, 'overdue'],
])('the presence of a row with status %s and connected %j is %s', (status, connected, presence) => {
  expect(toPresence(status, connected)).toBe(presence)
})

test('the status column sorts online, away, offline, overdue', () => {
  const shuffled: AgentPresence[] = ['overdue', 'away', 'online', 'offline']
  expect(shuffled.toSorted((a, b) => statusRank(a) - statusRank(b))).toEqual([
    'online',
    'away',
    'offline',
    'overdue',
  ])
})

test.each<[string, Partial<AgentSighting>, number, number | undefined]>([
  ['away becomes offline', {}, 0, 4 * MINUTE + 1],
  ['still so at the last moment', {}, 4 * MINUTE, 4 * MINUTE + 1],
  ['offline becomes overdue', {}, 4 * MINUTE + 1, 30 * MINUTE + 1],
  ['overdue stays', {}, 30 * MINUTE + 1, undefined],
  ['overdue before offline', { offline_time: 60, overdue_time: 10 }, 0, 10 * MINUTE + 1],
  ['no second change then', { offline_time: 60, overdue_time: 10 }, 11 * MINUTE, undefined],
  ['both at once', { offline_time: 5, overdue_time: 5 }, 0, 5 * MINUTE + 1],
  ['never seen', { last_seen: null }, 0, undefined],
  ['connected', { connected: true }, 0, undefined],
])('the next change by time alone: %s', (_case, change, silentMs, expected) => {
  const at = nextStatusChangeAt(agent(change), seenMs + silentMs)
  expect(at).toBe(expected === undefined ? undefined : seenMs + expected)
  if (at === undefined) return
  expect(agentStatus(agent(change), at)).not.toBe(agentStatus(agent(change), at - 1))
})
