import { expect, test } from 'vitest'
import { isEventId } from './number-check.ts'

test.each([
  ['4625', true],
  ['0', true],
  [' 46 25\t', true],
  ['*', true],
  [' * ', true],
  ['-1', true],
  ['1.5', true],
  ['', false],
  [' \t\n', false],
  ['**', false],
  ['4625*', false],
  ['abc', false],
  ['46a', false],
  ['.', false],
  ['0x10', false],
  ['Infinity', false],
  ['NaN', false],
  ['4,625', false],
])('spec 5, number check: %j', (text, valid) => {
  expect(isEventId(text)).toBe(valid)
})
