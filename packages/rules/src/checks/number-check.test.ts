import { expect, test } from 'vitest'
import { readEventId } from './logs.ts'

test.each([
  ['4625', 4625],
  ['0', 0],
  [' 46 25\t', 4625],
  ['*', '*'],
  [' * ', '*'],
  ['-1', -1],
  ['1.5', 1.5],
  ['', undefined],
  [' \t\n', undefined],
  ['**', undefined],
  ['4625*', undefined],
  ['abc', undefined],
  ['46a', undefined],
  ['.', undefined],
  ['0x10', undefined],
  ['Infinity', undefined],
  ['NaN', undefined],
  ['4,625', undefined],
])('event id: %j', (text, id) => {
  expect(readEventId(text)).toBe(id)
})
