import { expect, test } from 'vitest'
import { cleanTitle } from './clean-title.ts'

test.each([
  ['root@web-1: ~', 'root@web-1: ~'],
  ['  many \t words\r\n', 'many words'],
  ['\u001b]0;x\u0007', ']0;x'],
  ['safe\u202Egpj.exe', 'safe gpj.exe'],
  ['zero\u200Bwidth\uFEFF', 'zero width'],
  [`e${'\u0301'.repeat(500)}vil`, 'e\u0301\u0301vil'],
  ['<b>bold</b>', '<b>bold</b>'],
  ['', undefined],
  ['\u0000\u2028', undefined],
])('the title %j of a shell is shown as %j', (title, shown) => {
  expect(cleanTitle(title)).toBe(shown)
})

test('a title without end is cut, between characters', () => {
  const cut = cleanTitle('😀'.repeat(5_000_000))
  expect(Array.from(cut ?? '')).toHaveLength(60)
  expect(cut).toMatch(/^(😀)+…$/u)
})
