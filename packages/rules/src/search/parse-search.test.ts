import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileSearch } from './machine-search.ts'
import { searchText } from './search-text.ts'
import { MAX_SEARCH_LENGTH, parseSearch } from './parse-search.ts'
import { type CustomSearchField, findSearchField, isRemoteField, SEARCH_FIELDS } from './search-fields.ts'
import { formatSearch, isNarrower, SEARCH_FLAGS, termsOf } from './search-tree.ts'
import { compareVersions } from './search-values.ts'
import { NOW_MS, testMachine } from './test-machine.ts'

const FIELDS: CustomSearchField[] = [
  { id: 1, name: 'Rack position', type: 'text' },
  { id: 2, name: 'SLA', type: 'text', model: 'client' },
  { id: 3, name: 'Rack position', type: 'number', model: 'site' },
]

test.each([
  ['pc disk_fre<10%', 'disk_fre', 'There is no field disk_fre. Did you mean disk_free'],
  ['clent:acme', 'clent', 'There is no field clent. Did you mean client?'],
  ['xyzzy:1', 'xyzzy', 'There is no field xyzzy. To search for this text, put it in quotes.'],
  ['localhost:8080', 'localhost', 'There is no field localhost. To search for this text, put it in quotes.'],
  [
    'cf.rak_position:x',
    'cf.rak_position',
    'There is no custom field rak_position. Did you mean cf.Rack position?',
  ],
  ['client.slo:x', 'client.slo', 'There is no custom field slo of clients. Did you mean client.SLA?'],
  [
    'site.sla:x',
    'site.sla',
    'There is no custom field sla of sites. To search for this text, put it in quotes.',
  ],
  ['guest_state:run', 'run', 'There is no guest_state "run".'],
  ['is:onlin', 'is:onlin', 'There is no is:onlin. Did you mean is:online?'],
  ['not:offlne', 'not:offlne', 'There is no not:offlne. Did you mean not:offline?'],
  ['is:constructor', 'is:constructor', 'There is no is:constructor.'],
  ['is:', 'is:', 'Enter a state after "is:", such as is:offline.'],
  ['a client:', ':', 'Enter a value for client.'],
  ['status:offlin', 'offlin', 'There is no status "offlin". Did you mean offline?'],
  ['ram<8', '8', '"8" is not a size, such as 8gb or 500mb.'],
  ['ram<8gx', '8gx', '"8gx" is not a size, such as 8gb or 500mb.'],
  ['disk_free<10', '10', '"10" is not a size or a share, such as 20gb or 10%.'],
  ['cpu:i7', 'i7', '"i7" is not a percentage, such as 80%.'],
  ['checks>many', 'many', '"many" is not a number.'],
  ['last_seen>week', 'week', '"week" is not an age or a date, such as 7d, 4h or 2026-11-25.'],
  ['last_seen:7d', '7d', 'Compare an age: last_seen<7d or last_seen>7d.'],
  ['booted>2026-02-30', '2026-02-30', '"2026-02-30" is not an age or a date, such as 7d, 4h or 2026-11-25.'],
  ['version<new', 'new', '"new" is not a version, such as 1.4.0.'],
  ['maintenance:maybe', 'maybe', 'Use maintenance:yes or maintenance:no.'],
  ['client<b', 'b', 'client is a text. Use client:value or client=value.'],
  ['ram:(4gb, 8)', '8', '"8" is not a size, such as 8gb or 500mb.'],
  ['software:firefox<', 'firefox<', 'Enter a name and a version, such as firefox<130.'],
  ['a "front desk', '"', 'This quote is not closed.'],
  ['a (b or c', '(', 'This bracket is not closed.'],
  ['client:(a, b', '(', 'This bracket is not closed.'],
  ['a) b', ')', 'This bracket closes nothing. Remove it, or put the text in quotes.'],
  ['a or', 'or', 'Enter a term after "or".'],
  ['or a', 'o', 'Enter a term.'],
  ['()', ')', 'Enter a term.'],
  ['a not', 'not', 'Enter a term after "not".'],
  ['a and', 'and', 'Enter a term after "and".'],
  ['a\0b', '\0', 'Remove the control character.'],
])('%j: an error at %j', (text, at, message) => {
  const { error } = parseSearch(text, FIELDS)
  expect(error?.message).toMatch(message)
  expect(text.slice(error?.from, error?.to)).toBe(at)
})

test.each([
  ['', ''],
  ['  PC   "Front Desk" ', 'pc "front desk"'],
  ['a AND b Or not c', 'a b or -c'],
  ['(a b) or (c)', 'a b or c'],
  ['a (b or -(c d))', 'a (b or -(c d))'],
  ['HOST:x', 'name:x'],
  ['ram < 8GB', 'ram<8gb'],
  ['ram < 8 GB name:x', 'ram<8gb name:x'],
  ['(last_seen > 7 d)', 'last_seen>7d'],
  ['ram:<8gb', 'ram<8gb'],
  ['ram:4gb..', 'ram>=4gb'],
  ['ram:(<4gb, >16gb)', 'ram:(<4gb, >16gb)'],
  ['name!=a', '-name=a'],
  ['not:online', '-is:online'],
  ['rack_position:7', 'cf."Rack position":7'],
  ['client:(nord *)', 'client:(nord *)'],
  ['software:"Mozilla Firefox" < 130', 'software:"mozilla firefox" "<" 130'],
  ['software:"Mozilla Firefox"<130', 'software:"mozilla firefox"<130'],
  ['fe80::1 aa:bb:cc:dd:ee:ff', '"fe80::1" ("aa:bb:cc:dd:ee:ff" or mac:"aa:bb:cc:dd:ee:ff")'],
  ['02-AA-bb-cc-dd-ee', '02-aa-bb-cc-dd-ee or mac:02-aa-bb-cc-dd-ee'],
  ['-aa:bb:cc:dd:ee:ff', '-("aa:bb:cc:dd:ee:ff" or mac:"aa:bb:cc:dd:ee:ff")'],
  ['"aa:bb:cc:dd:ee:ff" aa:bb:cc', '"aa:bb:cc:dd:ee:ff" "aa:bb:cc"'],
  ['mac:aa:bb', 'mac:"aa:bb"'],
  ['CLIENT.sla:gold', 'client.SLA:gold'],
  ['site."Rack position">7', 'site."Rack position">7'],
  ['client.example.com', 'client.example.com'],
  ['https://host/a C:\\Temp - 5', '"https://host/a" "c:\\temp" "-" 5'],
  ['Intel(R)', '"intel(r)"'],
  ['"say ""hi"""', '"say ""hi"""'],
])('%j is written %j', (text, written) => {
  const { node, error } = parseSearch(text, FIELDS)
  expect(error).toBeUndefined()
  expect(formatSearch(node)).toBe(written)
})

test('names of fields are unique, and every is: term is known', () => {
  const names = SEARCH_FIELDS.flatMap(({ name, aliases = [] }) => [name, ...aliases])
  expect(new Set(names).size).toBe(names.length)
  for (const flag of SEARCH_FLAGS) expect(parseSearch(flag).node).toEqual({ kind: 'flag', flag })
  expect(findSearchField('constructor')).toBeUndefined()
})

test('only terms in remote fields are asked from the server', () => {
  const { node } = parseSearch(
    'a (software:x or -check:failing) client:b client.sla:x cf."Rack position":1',
    FIELDS,
  )
  const remote = termsOf(node).filter(({ field }) => isRemoteField(field))
  expect(remote.map(({ field }) => field)).toEqual(['software', 'check', 'client.SLA'])
})

test.each([
  ['', 'a', true],
  ['ab', 'abc', true],
  ['b', 'abc', true],
  ['abc', 'ab', false],
  ['ab', 'ab is:offline', true],
  ['ab is:offline', 'abc', false],
  ['is:offline', 'is:online', false],
  ['a', 'a or b', false],
  ['a or b', 'a', false],
  ['a or b', '(a or b) c', true],
  ['-a', '-ab', false],
  ['a*', 'a*b', false],
  ['client:a', 'client:a x', true],
  ['client:a', 'client:ab', false],
])('after %j, %j is narrower: %j', (before, after, expected) => {
  expect(isNarrower(parseSearch(before).node, parseSearch(after).node)).toBe(expected)
})

test.each([
  ['9.10', '9.9', 1],
  ['1.0-rc1', '1.0', -1],
  ['1.0~beta', '1.0', -1],
  ['1.0.0', '1.0', 0],
  ['2:1.0', '1.5', -1],
  ['1:1.0', '2:0.5', -1],
  ['1.0a', '1.0', -1],
  ['130.0+build3', '130.0', 1],
  ['24.04', '24.4', 0],
])('version %s compared with %s', (a, b, expected) => {
  expect(Math.sign(compareVersions(a, b))).toBe(expected)
  expect(Math.sign(compareVersions(b, a))).toBe(expected === 0 ? 0 : -expected)
})

const words = fc.constantFrom(
  'pc',
  'acme',
  '"front desk"',
  'a*b',
  '"q""q"',
  'fe80::1',
  'is:online',
  'not:offline',
)
const fields = fc.constantFrom(
  'client:acme',
  'client:(a, "b c", d e*)',
  'name=pc-12',
  'ram<8gb',
  'disk_free:5%..10%',
  'last_seen>7d',
  'version:0.1.*',
  'cf."Rack position":"7 b"',
  'software:fire*<130',
  'software:"x y">=2',
  'check:failing',
)
const { search: searches } = fc.letrec<{ search: string }>((tie) => ({
  search: fc.oneof(
    { maxDepth: 4 },
    words,
    fields,
    fc.tuple(tie('search'), tie('search')).map(([a, b]) => `${a} ${b}`),
    fc.tuple(tie('search'), tie('search')).map(([a, b]) => `${a} or ${b}`),
    tie('search').map((text) => `(${text})`),
    tie('search').map((text) => `-(${text})`),
  ),
}))

/** Texts that are nearly searches. */
const hostile = fc
  .array(
    fc.oneof(
      words,
      fields,
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.constantFrom(
        '(',
        ')',
        '"',
        '-',
        ' ',
        ',',
        ':',
        '..',
        '*',
        '<',
        'or',
        'not',
        'is:',
        'cf.',
        'ram',
        '=',
      ),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))

test('what a tree is written as parses to the same tree', () => {
  fc.assert(
    fc.property(fc.oneof(searches, hostile), (text) => {
      const { node, error } = parseSearch(text, FIELDS)
      fc.pre(error === undefined)
      const again = parseSearch(formatSearch(node), FIELDS)
      expect(again.error).toBeUndefined()
      expect(again.node).toEqual(node)
    }),
    { numRuns: 1000 },
  )
})

test('a hostile text is a search or an error at a place in it', () => {
  const row = testMachine()
  fc.assert(
    fc.property(fc.oneof(hostile, fc.string({ unit: 'binary', maxLength: 100 })), (text) => {
      const { node, error } = parseSearch(text, FIELDS)
      if (error !== undefined) {
        expect(error.message).toMatch(/\.$|\?$/)
        expect(error.from).toBeLessThan(error.to)
        expect(error.to).toBeLessThanOrEqual(text.length)
        return
      }
      const { matches } = compileSearch(node, { nowMs: NOW_MS, customFields: FIELDS, sets: new Map() })
      expect(typeof matches(row, searchText(row))).toBe('boolean')
    }),
    { numRuns: 1000 },
  )
})

test.each([
  ['('.repeat(100_000), 'A search can have at most 2,000 characters.'],
  ['('.repeat(MAX_SEARCH_LENGTH), 'A search can have at most 20 levels of brackets.'],
  ['-'.repeat(MAX_SEARCH_LENGTH - 1) + 'a', 'A search can have at most 20 levels of brackets.'],
  ['not '.repeat(400), 'A search can have at most 20 levels of brackets.'],
  ['a '.repeat(500), 'A search can have at most 200 terms.'],
  [`client:(${'a,'.repeat(500)}b)`, 'A list can have at most 200 values.'],
  ['"'.repeat(1999), 'This quote is not closed.'],
])('a huge search ends in an error: %#', (text, message) => {
  expect(parseSearch(text).error?.message).toBe(message)
})

test('a pattern of many stars takes linear time', () => {
  const row = testMachine({ description: 'a'.repeat(5000) })
  const { node } = parseSearch(`description:${'a*'.repeat(900)}b`)
  const { matches } = compileSearch(node, { nowMs: NOW_MS, customFields: [], sets: new Map() })
  expect(matches(row, '')).toBe(false)
})
