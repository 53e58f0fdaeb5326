import { expect, test } from 'vitest'
import { makeVisible } from './safe-text.ts'

test.each([
  ['ordinary text', 'Größe 5 µm\t<b>\n', 'Größe 5 µm\t<b>\n'],
  ['escape sequences', '\u001B]0;title\u0007\u001B[2J', '␛]0;title␇␛[2J'],
  ['line ends of Windows', 'one\r\ntwo\r', 'one\ntwo␍'],
  ['bytes of nothing', '\u0000\u007F\u0085', '␀␡\uFFFD'],
  ['text that turns round', 'abc\u202Etxt.exe', 'abc\uFFFDtxt.exe'],
])('%s', (_, text, shown) => {
  expect(makeVisible(text)).toBe(shown)
})
