import { expect, test } from 'vitest'
import { compileSearch, EXPIRED_DAYS } from './machine-search.ts'
import { searchText } from './search-text.ts'
import { parseSearch } from './parse-search.ts'
import type { CustomSearchField, SearchableMachine } from './search-fields.ts'
import { type SearchFlag, STABLE_FLAGS } from './search-tree.ts'
import { daysAgo, NOW_MS, testMachine } from './test-machine.ts'

const NO_CHECKS = testMachine().checks
const FIELDS: CustomSearchField[] = [
  { id: 1, name: 'Rack position', type: 'text' },
  { id: 2, name: 'Contract', type: 'multiple' },
  { id: 3, name: 'Leased', type: 'checkbox' },
  { id: 6, name: 'Port', type: 'number' },
  { id: 7, name: 'Bought', type: 'datetime' },
]

function found(text: string, row = testMachine()): boolean {
  const { node, error } = parseSearch(text, FIELDS)
  if (error !== undefined) throw new Error(error.message)
  const sets = new Map([['software:firefox<130', new Set(['PC12PC12'])]])
  const { matches, needsText } = compileSearch(node, { nowMs: NOW_MS, customFields: FIELDS, sets })
  return matches(row, needsText ? searchText(row) : '')
}

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
  ['"pc-12"', true],
  ['"front desk"', true],
  ['"desk ada"', false],
  ['"pc-*"', false],
  ['p*12 fr*esk', true],
  ['a*e*3', true],
  ['desk*ada', false],
  ['3*m', false],
  ['agzürich', false],
  ['object', false],
  ['<img', false],
  ['.*9', true],
  ['p c - 1 2', true],
])('all words must match, in any order and case: %j', (text, expected) => {
  expect(found(text)).toBe(expected)
})

test('composed and decomposed letters match', () => {
  expect(found('Zürich'.normalize('NFD'))).toBe(true)
  expect(found('zürich', testMachine({ site_name: 'Zürich'.normalize('NFD') }))).toBe(true)
})

test('additional texts of the table are searched', () => {
  const row = testMachine()
  expect(searchText(row, ['Nov-21-2026 - 09:00'])).toMatch('nov-21-2026')
})

test('a lost link matches away, and not online', () => {
  expect(found('away', testMachine({ connected: false }))).toBe(true)
  expect(found('online', testMachine({ connected: false }))).toBe(false)
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
  expect(found(word, testMachine(change))).toBe(true)
  expect(found(word.toUpperCase(), testMachine(change))).toBe(true)
  expect(found(word)).toBe(false)
})

test('is:online uses the status, so a link that was just lost still matches', () => {
  expect(found('is:online')).toBe(true)
  expect(found('is:online', testMachine({ connected: false }))).toBe(true)
  expect(found('is:online', testMachine({ status: 'offline', connected: false }))).toBe(false)
})

test('the last of several availability terms wins', () => {
  const offline = testMachine({ status: 'offline', connected: false })
  expect(found('is:online is:offline', offline)).toBe(true)
  expect(found('is:offline is:online', offline)).toBe(false)
  expect(found('is:offline is:online is:offline', offline)).toBe(true)
  expect(found('is:offline is:away', offline)).toBe(false)
  expect(found('is:online pc is:away is:online is:overdue', offline)).toBe(false)
})

test.each([
  ['a moment under 30 days', daysAgo(EXPIRED_DAYS - 0.001), false],
  ['30 days', daysAgo(EXPIRED_DAYS), true],
  ['a year', daysAgo(365), true],
  ['never seen', null, false],
  ['an unreadable instant', 'soon', false],
])('is:expired: last seen %s', (_case, last_seen, expected) => {
  expect(EXPIRED_DAYS).toBe(30)
  expect(found('is:expired', testMachine({ last_seen }))).toBe(expected)
})

test('words and is: terms must all match', () => {
  const row = testMachine({ needs_reboot: true, maintenance_mode: true })
  expect(found('is:rebootneeded nord is:maintenance desk', row)).toBe(true)
  expect(found('is:rebootneeded is:checksfailing', row)).toBe(false)
  expect(found('is:rebootneeded nowhere', row)).toBe(false)
})

test.each<[SearchFlag, Partial<SearchableMachine>]>([
  ['is:mac', {}],
  ['is:linux', { plat: 'linux' }],
  ['is:windows', { plat: 'windows' }],
  ['is:workstation', {}],
  ['is:server', { monitoring_type: 'server' }],
])('%s', (flag, change) => {
  expect(STABLE_FLAGS.has(flag)).toBe(true)
  expect(found(flag, testMachine(change))).toBe(true)
  expect(found(`-${flag}`, testMachine(change))).toBe(false)
})

test.each([
  // Texts: contains, equals, patterns.
  ['name:pc', true],
  ['name=pc', false],
  ['host="PC-12"', true],
  ['name!=pc-12', false],
  ['name:pc-*', true],
  ['name:*12', true],
  ['name:c-*', false],
  ['client:"nordwind ag"', true],
  ['client:(südwind, nordwind ag)', true],
  ['client:(südwind, Ostwind)', false],
  ['client: nordwind', true],
  ['site:zürich', true],
  ['user:*', true],
  ['user:ada', true],
  ['user:""', false],
  ['graphics:""', false],
  ['problem:""', true],
  ['problem:*', false],
  ['ip:10.0.0.5', true],
  ['ip:203.0.113.*', true],
  ['public_ip:10.0.0.5', false],
  ['local_ip:fe80::1', true],
  ['serial:c02*', true],
  ['processor:m3', true],
  ['disk:ssd', true],
  ['volume=/data', true],
  ['tag:prod', true],
  ['tag:pro', false],
  ['tag:(test, pro*)', true],
  ['nonprod', false],
  ['alert_template:night', true],
  // Choices and flags.
  ['status:online', true],
  ['status:(away, offline)', false],
  ['platform:macos', true],
  ['type:server', false],
  ['maintenance:no', true],
  ['needs_reboot:yes', false],
  // Numbers with units.
  ['ram<8gb', false],
  ['ram:8gb', true],
  ['ram > 8 gb', false],
  ['ram >= 8gb', true],
  ['ram:4gb..8gb', true],
  ['ram:..4gb', false],
  ['disk_free<10%', true],
  ['disk_free<4%', false],
  ['disk_free:3%..5%', true],
  ['disk_free<=20gb', true],
  ['disk_free>45gb', false],
  // 455 and 20 of 500: the rest is reserved for the system.
  ['disk_used>=95%', true],
  ['disk_used>=96%', false],
  ['disk_free<4.3%', true],
  ['disk_free<4.2%', false],
  ['disk_used:455gb', true],
  ['disk_size:100gb', true],
  ['checks>0', false],
  ['actions=0', true],
  // Ages, dates and versions.
  ['last_seen<1h', true],
  ['last_seen>7d', false],
  ['last_seen:never', false],
  ['boot_time>9d', true],
  ['uptime>2w', false],
  ['booted:1w..2w', true],
  ['booted:2026-11-11', true],
  ['booted<2026-11-11', false],
  ['booted<=2026-11-11', true],
  ['booted>2026-11-10', true],
  ['booted:2026-11-11t09:00', true],
  ['booted>=2026-11-12', false],
  ['version:0.1', true],
  ['version<0.1', false],
  ['version<0.2', true],
  ['version:0.1..0.3', true],
  ['os_version>=15', true],
  ['os_version:15', true],
  ['os_version:1', false],
  // Custom fields.
  ['cf."Rack position":rack', true],
  ['cf.rack_position="rack 7"', true],
  ['contract:gold', true],
  ['contract=(silver, night)', true],
  ['leased:yes', true],
  ['port>10', true],
  ['port<=10', false],
  ['bought>2026-10-31', true],
  ['bought>21d', false],
  // Combinations.
  ['not windows', true],
  ['-windows -mac15', false],
  ['windows or macos', true],
  ['windows or linux desk', false],
  ['(windows or mac15) desk', true],
  ['-(windows or linux) type:workstation', true],
  ['not:offline', true],
  ['not:online', false],
  ['nordwind and desk', true],
  ['"xor"', false],
  // Text that only looks like a field.
  ['fe80::1', true],
  ['https://intranet', false],
  [String.raw`C:\Windows`, false],
  // The server answers it.
  ['software:firefox<130', true],
  ['software:firefox<129', false],
  ['-software:firefox<130', false],
])('%s: %s', (text, expected) => {
  expect(found(text)).toBe(expected)
})

test('a disconnected machine is as old as its last sign of life', () => {
  const row = testMachine({ connected: false, status: 'overdue', last_seen: daysAgo(8) })
  expect(found('last_seen>7d', row)).toBe(true)
  expect(found('last_seen:7d..9d', row)).toBe(true)
  expect(found('last_seen<2026-11-14', row)).toBe(true)
  const never = { ...row, last_seen: null }
  expect(found('last_seen>7d', never)).toBe(false)
  expect(found('last_seen:never', never)).toBe(true)
})

test('100,000 rows are searched by words and terms together', () => {
  const rows = Array.from({ length: 100_000 }, (_, i) =>
    testMachine({ hostname: `pc-${i}`, needs_reboot: i % 7 === 0 }),
  )
  const haystacks = rows.map((row) => searchText(row))
  const { node } = parseSearch('nordwind 99 is:rebootneeded')
  const { matches } = compileSearch(node, { nowMs: NOW_MS, customFields: [], sets: new Map() })
  const hits = rows.filter((row, i) => matches(row, haystacks[i] ?? ''))
  expect(hits.length).toBe(rows.filter((row, i) => row.needs_reboot && String(i).includes('99')).length)
})
