import { describe, expect, test } from 'vitest'
import { type OutputChunk, NO_OUTPUT, addOutput, outputText } from './output-text.ts'

const chunks = (...texts: string[]): OutputChunk[] =>
  texts.map((text, index) => ({ seq: index + 1, stream: 'stdout', text }))
const shown = (...texts: string[]) => outputText(addOutput(NO_OUTPUT, chunks(...texts)))

describe('output is shown as text', () => {
  test.each([
    ['plain\n', 'plain\n'],
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;https://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u001b(Bascii', 'ascii'],
    ['\u001b[2J\u001b[Hcleared', 'cleared'],
    ['bell\u0007 null\u0000', 'bell null'],
    ['tab\tstays', 'tab\tstays'],
    ['a\r\nb\r\n', 'a\nb\n'],
    ['10%\r20%\r100%\ndone', '100%\ndone'],
    ['line\n10%\r20%', 'line\n20%'],
    ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ])('%j reads %j', (text, expected) => {
    expect(shown(text)).toBe(expected)
  })

  test('though a sequence or a line end comes in two pieces', () => {
    expect(shown('a\u001b', '[3', '1mb\u001b[0m')).toBe('ab')
    expect(shown('a\r', '\nb')).toBe('a\nb')
    expect(shown('10%\r', '20%')).toBe('20%')
  })

  test('though a sequence never ends', () => {
    expect(shown(`\u001b]0;${'x'.repeat(5000)}`)).toContain('xxx')
  })
})

test('duplicate output is not added again, in any order', () => {
  const [first, second, third] = chunks('a', 'b', 'c')
  const before = addOutput(NO_OUTPUT, [second!, first!])
  const after = addOutput(before, [third!, second!])
  expect(outputText(after)).toBe('abc')
  expect(addOutput(after, [first!])).toBe(after)
})

test('the streams stay apart and keep their order', () => {
  const output = addOutput(NO_OUTPUT, [
    { seq: 1, stream: 'stdout', text: 'a' },
    { seq: 2, stream: 'stderr', text: 'b' },
    { seq: 3, stream: 'stdout', text: 'c' },
  ])
  expect(output.segments.map(({ stream }) => stream)).toEqual(['stdout', 'stderr', 'stdout'])
  expect(outputText(output, 'stdout')).toBe('ac')
  expect(outputText(output, 'stderr')).toBe('b')
})

test('long output is split at line ends, without loss', () => {
  const text = `${'x'.repeat(999)}\n`.repeat(20) + 'y'.repeat(20_000)
  const { segments } = addOutput(NO_OUTPUT, chunks(text))
  expect(segments.map((segment) => segment.text).join('')).toBe(text)
  expect(segments.slice(0, 2).every((segment) => segment.text.endsWith('x\n'))).toBe(true)
})

test('adding to a megabyte leaves all but its end the same objects', () => {
  const big = addOutput(NO_OUTPUT, chunks(...Array.from({ length: 1000 }, () => `${'x'.repeat(1023)}\n`)))
  const more = addOutput(big, [{ seq: 1001, stream: 'stdout', text: 'end' }])
  const same = more.segments.filter((segment, index) => segment === big.segments[index])
  expect(same.length).toBeGreaterThanOrEqual(big.segments.length - 1)
  expect(big.segments.length).toBeLessThan(200)
})
