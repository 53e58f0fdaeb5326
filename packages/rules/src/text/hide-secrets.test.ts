import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SecretFilter } from './safe-text.ts'

function hide(secrets: string[], pieces: string[]): string {
  const filter = new SecretFilter(secrets)
  return pieces.map((piece) => filter.take(piece)).join('') + filter.end()
}

test.each<[string[], string[], string]>([
  [['s3cret'], ['key=s3cret!'], 'key=••••••!'],
  [['s3cret'], ['key=s3', 'cret', '!'], 'key=••••••!'],
  [['s3cret'], ['s3crs3cret'], 's3cr••••••'],
  [['s3cret'], ['s3cr'], 's3cr'],
  [['abcd', 'abcdef'], ['abcd', 'ef'], '••••••'],
  [['abcd', 'abcdef'], ['abcd', 'x'], '••••••x'],
  [['a.*b'], ['a.*b aXXb'], '•••••• aXXb'],
  [['abc'], ['abc'], 'abc'],
  [['two\nlines'], ['two\n', 'lines'], '••••••'],
  [[], ['as it is'], 'as it is'],
  // Forms in which programs print a secret with several lines.
  [['12345678\nabcdefgh\nxyz='], ['12345678\r\nabcdefgh\r\nxyz=\r\n'], '••••••\r\n'],
  [['12345678\r\nabcdefgh\r\nxyz='], ['12345678\nabcdefgh\nxyz=\n'], '••••••\n'],
  [['12345678\nabcdefgh\nxyz=\n'], ['<12345678 abcd', 'efgh xyz=>'], '<••••••>'],
  [['12345678\n  abcdefgh   ij\nxyz='], ['12345678 abcdefgh ij xyz='], '••••••'],
  [['12345678\nabcdefgh\nxyz='], ['abcd', 'efgh, 12', '345678'], '••••••, ••••••'],
  [['12345678\nabcdefgh\nxyz='], ['12345678\n', 'abcd', 'efgh', '\n', 'other'], '••••••\n••••••\nother'],
  [['12345678\n  abcdefgh\n'], ['1: abcdefgh'], '1: ••••••'],
  [['1234567\nabcdefgh'], ['1234567 alone'], '1234567 alone'],
  [['s3cret\n'], ['key=s3cret!'], 'key=••••••!'],
  [['aaaa'], ['aaaaaaaaa'], '••••••••••••a'],
])('%j hidden in %j is %j', (secrets, pieces, expected) => {
  expect(hide(secrets, pieces)).toBe(expected)
})

const ODD = 'S3cr3t/Pa+ss=w\'ord"x&y \\é'

test.each([
  ['JSON', JSON.stringify({ key: ODD }), '{"key":"••••••"}'],
  ['JSON in ASCII', String.raw`"S3cr3t/Pa+ss=w'ord\"x&y \\\u00e9"`, '"••••••"'],
  ['JSON with escaped slashes', String.raw`"S3cr3t\/Pa+ss=w'ord\"x&y \\é"`, '"••••••"'],
  ['a query', `?key=${encodeURIComponent(ODD)}&z=1`, '?key=••••••&z=1'],
  ['a form', new URLSearchParams({ key: ODD }).toString(), 'key=••••••'],
  ['a path in small letters', '/S3cr3t%2fPa%2bss%3dw%27ord%22x%26y%20%5c%c3%a9', '/••••••'],
  ['HTML', '<b>S3cr3t/Pa+ss=w&#39;ord&quot;x&amp;y \\é</b>', '<b>••••••</b>'],
  ['shell quotes', `'S3cr3t/Pa+ss=w'\\''ord"x&y \\é'`, "'••••••'"],
  ['a list of Python', String.raw`['S3cr3t/Pa+ss=w\'ord"x&y \\é']`, "['••••••']"],
])('a secret in %s is hidden', (_form, printed, expected) => {
  expect(hide([ODD], [printed])).toBe(expected)
})

test('a secret in Base64 is hidden, wherever it stands in the encoded text', () => {
  for (const before of ['', 'm', 'me', 'me:', 'user:']) {
    for (const after of ['', '\n', '@host', '@host.example']) {
      for (const encoding of ['base64', 'base64url'] as const) {
        const printed = Buffer.from(before + ODD + after).toString(encoding)
        const shown = hide([ODD], [`Basic ${printed}`])
        expect(shown).toContain('••••••')
        // Two characters at each end hold bits of the neighbours, too.
        expect(shown.replace('••••••', '').length).toBeLessThan(`Basic ${before}${after}`.length * 1.5 + 8)
      }
    }
  }
})

test('short secrets are hidden as they are, not in their encoded forms', () => {
  expect(hide(['a"bcd'], ['a"bcd', JSON.stringify('a"bcd')])).toBe('••••••"a\\"bcd"')
})

test('every line of many long secrets is hidden', () => {
  const lines = Array.from({ length: 900 }, (_, index) => `${index}`.padStart(10, 'x'))
  const secrets = Array.from({ length: 20 }, (_, index) => `${index}\n${lines.join('\n')}`)
  const ordinary = 'xxxx ordinary output\n'.repeat(3000)
  expect(hide(secrets, [ordinary, ordinary, lines.join(', '), ordinary])).toBe(
    `${ordinary}${ordinary}${lines.map(() => '••••••').join(', ')}${ordinary}`,
  )
})

test('the result does not depend on how a text is split, and contains no secret', () => {
  const letters = fc.constantFrom('a', 'b', 'c', '\n', '\r', ' ')
  const secrets = fc.array(fc.string({ unit: letters, minLength: 4, maxLength: 7 }), { maxLength: 4 })
  const pieces = fc.array(fc.string({ unit: letters, maxLength: 9 }), { maxLength: 12 })
  fc.assert(
    fc.property(secrets, pieces, (hidden, parts) => {
      const out = hide(hidden, parts)
      expect(out).toBe(hide(hidden, [parts.join('')]))
      for (const secret of hidden) expect(out).not.toContain(secret)
    }),
    { numRuns: 2000 },
  )
})
