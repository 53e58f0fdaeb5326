import { expect, test } from 'vitest'
import { makeEnvironmentBlock, parseEnvironmentBlock, quoteArgument } from './process-start.ts'

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

test('an environment block is sorted, and read without hidden variables and what follows it', () => {
  const env = { path: 'C:\\Windows;D:\\x=y', Greeting: 'hällo 雪', EMPTY: '' }
  const text = makeEnvironmentBlock(env).toString('utf16le')
  expect(text).toBe('EMPTY=\0Greeting=hällo 雪\0path=C:\\Windows;D:\\x=y\0\0')
  expect(parseEnvironmentBlock(`=C:=C:\\x\0${text}other memory=1\0`)).toEqual(env)
})
