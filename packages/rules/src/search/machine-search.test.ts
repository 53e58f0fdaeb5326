import { expect, test } from 'vitest'
import { compileSearch, EXPIRED_DAYS, parseSearch, SEARCH_FLAGS, searchText } from './machine-search.ts'
import type { SearchableMachine } from './machine-search.ts'

const NO_CHECKS = { has_failing_checks: false, total: 0, old: 0, pending: 0 }
const now = Date.parse('2026-11-21T09:00:00.000Z')
const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString()

const machine = (change: Partial<SearchableMachine> = {}): SearchableMachine => ({
  hostname: 'PC-12',
  client_name: 'Nordwind AG',
  site_name: 'Zürich',
  description: 'Front desk',
  plat: 'darwin',
  monitoring_type: 'workstation',
  logged_username: 'ada',
  status: 'online',
  connected: true,
  last_seen: daysAgo(0),
  maintenance_mode: false,
  needs_reboot: false,
  has_patches_pending: false,
  pending_actions_count: 0,
  checks: NO_CHECKS,
  version: '0.1.0',
  operating_system: 'macOS 15.1',
  public_ip: '203.0.113.9',
  local_ips: '10.0.0.5, fe80::1',
  cpu_model: ['Apple M3'],
  graphics: 'Apple GPU',
  make_model: 'Mac15,3',
  physical_disks: ['APPLE SSD AP0512Z 500GB'],
  serial_number: 'C02XYZ',
  custom_fields: [
    { value: 'rack 7' },
    { value: ['gold', 'night'] },
    { value: true },
    { value: null },
    { value: {} },
  ],
  ...change,
})
const found = (text: string, row = machine()) => compileSearch(text, now)(row, searchText(row))

test.each([
  ['hostname', 'pc-12'],
  ['client', 'nordwind'],
  ['site', 'zürich'],
  ['description', 'desk'],
  ['user', 'ada'],
  ['platform as shown', 'macos'],
  ['platform as stored', 'darwin'],
  ['type', 'workstation'],
  ['status', 'online'],
  ['version', '0.1.0'],
  ['operating system', '15.1'],
  ['public address', '203.0.113'],
  ['local address', 'fe80::1'],
  ['processor', 'm3'],
  ['graphics', 'gpu'],
  ['make and model', 'mac15,3'],
  ['disk', 'ap0512z'],
  ['serial number', 'c02xyz'],
  ['custom field', 'rack'],
  ['custom field of several values', 'night'],
  ['custom field of a checkbox', 'true'],
])('the %s is searched: %s', (_field, word) => {
  expect(found(word)).toBe(true)
  expect(found(word.toUpperCase())).toBe(true)
})

test.each([
  ['', true],
  ['   ', true],
  ['pc nordwind', true],
  ['  nordwind   PC  ', true],
  ['pc nordwind nowhere', false],
  ['nowhere pc', false],
  ['"pc-12"', false],
  ['agzürich', false],
  ['object', false],
  ['<img', false],
  ['.*', false],
  ['p c - 1 2', true],
])('all words must match, in any order and case: %j', (text, expected) => {
  expect(found(text)).toBe(expected)
})

test('composed and decomposed letters match', () => {
  expect(found('Zürich'.normalize('NFD'))).toBe(true)
  expect(found('zürich', machine({ site_name: 'Zürich'.normalize('NFD') }))).toBe(true)
})

test('additional texts of the table are searched', () => {
  const row = machine()
  expect(compileSearch('nov-21-2026', now)(row, searchText(row, ['Nov-21-2026 - 09:00']))).toBe(true)
})

test('a lost link matches away, and not online', () => {
  expect(found('away', machine({ connected: false }))).toBe(true)
  expect(found('online', machine({ connected: false }))).toBe(false)
})

test.each<[string, Partial<SearchableMachine>]>([
  ['is:patchespending', { has_patches_pending: true }],
  ['is:actionspending', { pending_actions_count: 1 }],
  ['is:checksfailing', { checks: { ...NO_CHECKS, has_failing_checks: true } }],
  ['is:rebootneeded', { needs_reboot: true }],
  ['is:offline', { status: 'offline', connected: false }],
  ['is:overdue', { status: 'overdue', connected: false }],
  ['is:expired', { last_seen: daysAgo(30) }],
  ['is:checksold', { checks: { ...NO_CHECKS, total: 3, old: 1, pending: 1 } }],
  ['is:noresults', { checks: { ...NO_CHECKS, total: 3, pending: 3 } }],
  ['is:maintenance', { maintenance_mode: true }],
  ['is:away', { connected: false }],
])('%s', (word, change) => {
  expect(found(word, machine(change))).toBe(true)
  expect(found(word.toUpperCase(), machine(change))).toBe(true)
  expect(found(word)).toBe(false)
})

test('is:online uses the status, so a link that was just lost still matches', () => {
  expect(found('is:online')).toBe(true)
  expect(found('is:online', machine({ connected: false }))).toBe(true)
  expect(found('is:online', machine({ status: 'offline', connected: false }))).toBe(false)
})

test('the last of several availability terms wins', () => {
  const offline = machine({ status: 'offline', connected: false })
  expect(found('is:online is:offline', offline)).toBe(true)
  expect(found('is:offline is:online', offline)).toBe(false)
  expect(found('is:offline is:online is:offline', offline)).toBe(true)
  expect(found('is:offline is:away', offline)).toBe(false)
  expect(parseSearch('is:online pc is:away is:online is:overdue').flags).toEqual(['is:overdue'])
})

test.each([
  ['a moment under 30 days', daysAgo(EXPIRED_DAYS - 0.001), false],
  ['30 days', daysAgo(EXPIRED_DAYS), true],
  ['a year', daysAgo(365), true],
  ['never seen', null, false],
  ['an unreadable instant', 'soon', false],
])('is:expired: last seen %s', (_case, last_seen, expected) => {
  expect(EXPIRED_DAYS).toBe(30)
  expect(found('is:expired', machine({ last_seen }))).toBe(expected)
})

test('words and is: terms must all match', () => {
  const row = machine({ needs_reboot: true, maintenance_mode: true })
  expect(found('is:rebootneeded nord is:maintenance desk', row)).toBe(true)
  expect(found('is:rebootneeded is:checksfailing', row)).toBe(false)
  expect(found('is:rebootneeded nowhere', row)).toBe(false)
})

test.each(['is:', 'is:onlin', 'is:constructor', 'is:__proto__', 'is:online,'])(
  'an unknown is: term is reported and searched as text: %s',
  (word) => {
    expect(parseSearch(`pc ${word} ${word}`)).toEqual({ words: ['pc', word], flags: [], unknown: [word] })
    expect(found(word)).toBe(false)
    expect(found(word, machine({ description: `see ${word}` }))).toBe(true)
  },
)

test('a word that only contains is: is text', () => {
  expect(parseSearch('this:that')).toEqual({ words: ['this:that'], flags: [], unknown: [] })
})

test('every is: term is supported', () => {
  for (const flag of SEARCH_FLAGS) expect(parseSearch(flag)).toMatchObject({ words: [], unknown: [] })
})

test('100,000 rows are searched by words and terms together', () => {
  const rows = Array.from({ length: 100_000 }, (_, i) =>
    machine({ hostname: `pc-${i}`, needs_reboot: i % 7 === 0 }),
  )
  const haystacks = rows.map((row) => searchText(row))
  const matches = compileSearch('nordwind 99 is:rebootneeded', now)
  const hits = rows.filter((row, i) => matches(row, haystacks[i] ?? ''))
  expect(hits.length).toBe(rows.filter((row, i) => row.needs_reboot && String(i).includes('99')).length)
})
