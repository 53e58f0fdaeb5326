import { expect, test } from 'vitest'
import { readLogFilter, writeLogFilter } from './log-filter.ts'

test('a log filter round-trips through the address, and the default is empty', () => {
  const first = readLogFilter('')
  expect(writeLogFilter(first)).toBe('')
  const asked = {
    ...first,
    unit: 'ssh & co=1',
    priority: 'err' as const,
    seconds: 0,
    search: 'Größe+1%',
    log: 'a b',
  }
  expect(readLogFilter(writeLogFilter(asked))).toEqual(asked)
})

test('unknown parts of the address are ignored', () => {
  expect(readLogFilter('priority=loud&seconds=-1&askedAt=3&unit=a')).toEqual({
    ...readLogFilter(''),
    unit: 'a',
  })
})
