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
  [['aaaa'], ['aaaaaaaaa'], '••••••••••••a'],
])('%j hidden in %j is %j', (secrets, pieces, expected) => {
  expect(hide(secrets, pieces)).toBe(expected)
})

test('the result does not depend on how a text is split, and contains no secret', () => {
  const letters = fc.constantFrom('a', 'b', 'c')
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
