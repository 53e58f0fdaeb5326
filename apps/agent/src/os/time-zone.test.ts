import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { givenAgent, givenFolder } from '../testing/given.ts'
import { os } from './index.ts'
import { readTimeZone } from './time-zone.ts'
import { utcOffsetIn } from './zone-file.ts'

const WINTER = Date.parse('2026-01-15T12:00:00Z')
const SUMMER = Date.parse('2026-07-15T12:00:00Z')

/** A time zone file with one offset, and a rule for later times as in the variable TZ of POSIX. */
function zoneFile(rule: string, offsetSeconds: number): Buffer {
  const header = Buffer.alloc(44)
  header.write('TZif2')
  // One type, whose abbreviation has four bytes.
  header.writeUInt32BE(1, 36)
  header.writeUInt32BE(4, 40)
  const block = Buffer.alloc(10)
  block.writeInt32BE(offsetSeconds)
  return Buffer.concat([header, block, header, block, Buffer.from(`\n${rule}\n`)])
}

const KATHMANDU = zoneFile('<+0545>-5:45', 20_700)
const BERLIN = zoneFile('CET-1CEST,M3.5.0,M10.5.0/3', 3600)
const UTC = zoneFile('UTC0', 0)
const COMPANY = zoneFile('<+0317>-3:17', 11_820)
const DATABASE = {
  'usr/share/zoneinfo/Asia/Kathmandu': KATHMANDU,
  'usr/share/zoneinfo/Asia/Katmandu': KATHMANDU,
  'usr/share/zoneinfo/Europe/Berlin': BERLIN,
  'usr/share/zoneinfo/posix/Europe/Berlin': BERLIN,
  'usr/share/zoneinfo/Europe/Zurich': BERLIN,
  'usr/share/zoneinfo/Etc/UTC': UTC,
  'usr/share/zoneinfo/UTC': UTC,
  'usr/share/zoneinfo/Company/Office': COMPANY,
  'usr/share/zoneinfo/zone1970.tab': '# x\nDE\t+5230+01322\tEurope/Berlin\nNP\t+2743+08519\tAsia/Kathmandu\n',
}

function givenZone(files: Record<string, Buffer | string>, links: Record<string, string> = {}): string {
  const root = `${givenFolder()}/`
  for (const [name, content] of Object.entries(files)) write(root, name, content)
  for (const [name, to] of Object.entries(links)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    symlinkSync(to, join(root, name))
  }
  return root
}

function write(root: string, name: string, content: Buffer | string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), content)
}

test.each([
  ['a wrong text file', { 'etc/timezone': 'Etc/UTC\n' }],
  ['no text file', {}],
  ['an old name in the text file', { 'etc/timezone': 'Asia/Katmandu\n' }, 'Asia/Katmandu'],
])('a copy of a zone is found in the database: %s', (_, hint, zone = 'Asia/Kathmandu') => {
  expect(readTimeZone(givenZone({ ...DATABASE, 'etc/localtime': KATHMANDU, ...hint }))).toBe(zone)
})

test.each([
  [{ 'etc/localtime': '/usr/share/zoneinfo/Europe/Zurich' }, 'Europe/Zurich'],
  [{ 'etc/localtime': '../usr/share/zoneinfo/Europe/Zurich' }, 'Europe/Zurich'],
  [{ 'etc/localtime': '../usr/share/zoneinfo/posix/Europe/Berlin' }, 'Europe/Berlin'],
  [{ 'etc/localtime': '/usr/share/zoneinfo/Etc/UTC' }, 'Etc/UTC'],
  [
    {
      'etc/localtime': 'alternatives/localtime',
      'etc/alternatives/localtime': '/usr/share/zoneinfo/Europe/Berlin',
    },
    'Europe/Berlin',
  ],
  [
    {
      'etc/localtime': '/var/lib/zone',
      'var/lib/zone': '/usr/share/zoneinfo/localtime',
      'usr/share/zoneinfo/localtime': '/usr/share/zoneinfo/Europe/Berlin',
    },
    'Europe/Berlin',
  ],
  [{ 'etc/localtime': '/usr/share/zoneinfo/Company/Office' }, '+03:17'],
  [{ 'etc/localtime': 'localtime' }, '+00:00'],
])('the zone is read from the links %o', (links, zone) => {
  expect(readTimeZone(givenZone({ ...DATABASE, 'etc/timezone': 'Asia/Tokyo\n' }, links))).toBe(zone)
})

test('without a file the clock is in UTC, whatever the text file says', () => {
  expect(readTimeZone(givenZone({ ...DATABASE, 'etc/timezone': 'Asia/Tokyo\n' }))).toBe('UTC')
})

test('without the database a copy has the name in the text file only if the times agree', () => {
  const given = (zone: string) =>
    readTimeZone(givenZone({ 'etc/localtime': BERLIN, 'etc/timezone': zone }), SUMMER)
  expect(given('Europe/Berlin\n')).toBe('Europe/Berlin')
  expect(given('Europe/London\n')).toBe('+02:00')
  expect(given('../../etc/passwd\n')).toBe('+02:00')
  const sysconfig = { 'etc/localtime': BERLIN, 'etc/sysconfig/clock': 'ZONE="Europe/Berlin"\nUTC=true\n' }
  expect(readTimeZone(givenZone(sysconfig))).toBe('Europe/Berlin')
})

test('a zone without a name has the offset of its rule, in summer and in winter', () => {
  const root = givenZone({ 'etc/localtime': zoneFile('AAA3:30BBB,M3.2.0,M11.1.0', -12_600) })
  expect(readTimeZone(root, WINTER)).toBe('-03:30')
  expect(readTimeZone(root, SUMMER)).toBe('-02:30')
  const south = zoneFile('AEST-10AEDT,M10.1.0,M4.1.0/3', 36_000)
  expect(utcOffsetIn(south, WINTER / 1000)).toBe(39_600)
  expect(utcOffsetIn(south, SUMMER / 1000)).toBe(36_000)
  const byDay = zoneFile('AAA0BBB,J60/0,300', 0)
  expect(utcOffsetIn(byDay, Date.parse('2028-02-29T23:59:59Z') / 1000)).toBe(0)
  expect(utcOffsetIn(byDay, Date.parse('2028-03-01T00:00:00Z') / 1000)).toBe(3600)
})

test.each(['', 'TZif', 'no zone at all', 'TZif2'.padEnd(44, 'x')])('a damaged file %j is no zone', (text) => {
  expect(readTimeZone(givenZone({ ...DATABASE, 'etc/localtime': text }))).toBe('+00:00')
})

test('a zone that changes while the agent runs is read again', () => {
  const root = givenZone({ ...DATABASE, 'etc/localtime': KATHMANDU })
  expect(readTimeZone(root)).toBe('Asia/Kathmandu')
  rmSync(join(root, 'etc/localtime'))
  symlinkSync('/usr/share/zoneinfo/Europe/Zurich', join(root, 'etc/localtime'))
  expect(readTimeZone(root)).toBe('Europe/Zurich')
  rmSync(join(root, 'etc/localtime'))
  write(root, 'etc/localtime', COMPANY)
  expect(readTimeZone(root)).toBe('+03:17')
})

test('an agent reports a zone without a name as an offset, and as a problem', async () => {
  const root = givenZone({ ...DATABASE, 'etc/localtime': COMPANY, 'etc/timezone': 'Etc/UTC\n' })
  const zoned = {
    ...os,
    readQuickFacts: async () => ({ ...(await os.readQuickFacts()), time_zone: readTimeZone(root) }),
  }
  const { server } = await givenAgent({ agent: { os: zoned } })
  await expect
    .poll(() =>
      Object.assign({}, ...server.reports.map((report) => (report.kind === 'facts' ? report.facts : {}))),
    )
    .toMatchObject({
      time_zone: '+03:17',
      problems: [
        'The time zone of this machine has no known name. Tasks run by its offset, UTC+03:17. Set the zone by its name, for example with timedatectl set-timezone.',
      ],
    })
})
