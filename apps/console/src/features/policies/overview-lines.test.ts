import { expect, test } from 'vitest'
import { listOverview, type OverviewData } from './overview-lines.ts'

const assigned = (id: number, name: string, monitoring_type: 'server' | null = null) => ({
  id,
  name,
  active: true,
  enforced: false,
  monitoring_type,
})
const NO_SLOTS = { server_policy: null, workstation_policy: null }
const DATA: OverviewData = {
  everywhere: [assigned(1, 'Base')],
  clients: [
    {
      id: 3,
      name: 'Acme',
      ...NO_SLOTS,
      policies: [assigned(2, 'Own'), assigned(1, 'Base', 'server')],
      sites: [
        { id: 5, name: 'Berlin', ...NO_SLOTS, policies: [assigned(2, 'Own')] },
        { id: 6, name: 'Munich', ...NO_SLOTS, policies: [] },
      ],
    },
    { id: 4, name: 'Empty', ...NO_SLOTS, policies: [], sites: [] },
  ],
  policies: [
    {
      id: 2,
      name: 'Own',
      active: true,
      enforced: false,
      targets: [
        { level: 'search', search: 'is:server' },
        { level: 'agent', id: 'alpha0000000' },
      ],
      names: { clients: [], sites: [], agents: [{ id: 'alpha0000000', name: 'alpha' }] },
    },
  ],
}
const drawn = (how: { isOpen?: (id: string) => boolean; showEmpty?: boolean }) =>
  listOverview(DATA, { isOpen: () => true, showEmpty: false, ...how }).map(
    (line) => `${line.level} ${line.label}${line.kind === 'policy' && line.note ? ` (${line.note})` : ''}`,
  )

test('targets with their policies in order, searches and single machines too', () => {
  expect(drawn({})).toEqual([
    '1 All machines',
    '2 Base',
    '1 Acme',
    '2 Own',
    '2 Base (servers)',
    '2 Berlin',
    '3 Own',
    '1 By searches',
    '2 Own (is:server)',
    '1 Single machines',
    '2 Own (alpha)',
  ])
})

test('targets without policies are there when asked for', () => {
  const all = drawn({ showEmpty: true })
  expect(all).toContain('2 Munich')
  expect(all).toContain('1 Empty')
})

test('a closed target shows nothing below it', () => {
  expect(drawn({ isOpen: (id) => id !== 'client-3' })).toEqual([
    '1 All machines',
    '2 Base',
    '1 Acme',
    '1 By searches',
    '2 Own (is:server)',
    '1 Single machines',
    '2 Own (alpha)',
  ])
})

test('each line is unique, also for a policy assigned twice', () => {
  const lines = listOverview(DATA, { isOpen: () => true, showEmpty: true })
  expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length)
})
