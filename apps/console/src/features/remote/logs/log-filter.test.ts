import { expect, test } from 'vitest'
import { readLogFilter, writeLogFilter } from './log-filter.ts'

test('what is asked of a log is the same after the address, and nothing when it is as at first', () => {
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

test('what is none of it in an address is left out', () => {
  expect(readLogFilter('priority=loud&seconds=-1&askedAt=3&unit=a')).toEqual({
    ...readLogFilter(''),
    unit: 'a',
  })
})
