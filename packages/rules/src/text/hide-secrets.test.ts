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
