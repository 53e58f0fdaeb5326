import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffLines } from './line-diff.ts'

const shown = (before: string, after: string) =>
  diffLines(before, after).map(({ kind, text }) => ({ same: ' ', removed: '-', added: '+' })[kind] + text)

test.each<[string, string, string[]]>([
  ['', '', []],
  ['a\nb', 'a\nb', [' a', ' b']],
  ['a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
  ['a', 'a\nb', [' a', '+b']],
  ['a\nb', 'b', ['-a', ' b']],
  ['a\r\nb', 'a\nb', [' a', ' b']],
  ['', 'new', ['+new']],
])('%j and %j', (before, after, lines) => {
  expect(shown(before, after)).toEqual(lines)
})

test('both texts can be reconstructed from the diff, with line numbers', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
  fc.assert(
    fc.property(text, text, (old, fresh) => {
      const lines = diffLines(old.join('\n'), fresh.join('\n'))
      const before = lines.filter(({ kind }) => kind !== 'added')
      const after = lines.filter(({ kind }) => kind !== 'removed')
      expect(before.map((line) => line.text).join('\n')).toBe(old.join('\n'))
      expect(after.map((line) => line.text).join('\n')).toBe(fresh.join('\n'))
      expect(before.map((line) => line.before)).toEqual(before.map((_, index) => index + 1))
      expect(after.map((line) => line.after)).toEqual(after.map((_, index) => index + 1))
    }),
  )
})

test('two long texts without a common line are shown completely', () => {
  const long = (word: string) => Array.from({ length: 3000 }, (_, index) => `${word} ${index}`).join('\n')
  expect(diffLines(long('a'), long('b'))).toHaveLength(6000)
})
