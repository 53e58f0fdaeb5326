import { expect, test } from 'vitest'
import { quoteArgument } from './process-start.ts'

test.each([
  ['plain', 'plain'],
  ['', '""'],
  ['two words', '"two words"'],
  [String.raw`C:\Program Files\x\ `.trim(), String.raw`"C:\Program Files\x\\"`],
  ['say "hello"', String.raw`"say \"hello\""`],
  [String.raw`a\"b`, String.raw`"a\\\"b"`],
  [String.raw`C:\x\node.exe`, String.raw`C:\x\node.exe`],
])('%s is one argument of a Windows command line', (argument, quoted) => {
  expect(quoteArgument(argument)).toBe(quoted)
})
