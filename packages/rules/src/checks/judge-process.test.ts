import { expect, test } from 'vitest'
import { type CheckToJudge, judgeCheck, type MeasuredValues } from './table.ts'

const MB = 1024 ** 2

const verdict = (check: CheckToJudge, measured: MeasuredValues) =>
  judgeCheck(check, measured).severity ?? 'passes'

test.each([
  ['running', 0, 2, 10, 'passes'],
  ['running', 0, 0, 0, 'error'],
  ['running', 100, 1, 100, 'passes'],
  ['running', 100, 1, 101, 'error'],
  ['not_running', 0, 0, 0, 'passes'],
  ['not_running', 0, 1, 1, 'error'],
] as const)(
  'processes that should be %s, with at most %d MB: %d with %d MB',
  (expect_, max, count, mb, expected) => {
    const check = {
      check_type: 'process',
      process_name: 'sshd',
      expect: expect_,
      max_memory_mb: max,
      alert_severity: 'error',
    } as const
    expect(verdict(check, { check_type: 'process', count, memory_bytes: mb * MB })).toBe(expected)
  },
)

test.each([
  [1, 0, 50, 'passes'],
  [2, 0, 1, 'error'],
  [2, 0, 2, 'passes'],
  [1, 3, 3, 'passes'],
  [1, 3, 4, 'error'],
  [2, 3, 0, 'error'],
] as const)(
  'of a program at least %d and at most %d should run: %d run',
  (min_count, max_count, count, expected) => {
    const check = {
      check_type: 'process',
      process_name: 'worker',
      expect: 'running',
      min_count,
      max_count,
      max_memory_mb: 0,
      alert_severity: 'error',
    } as const
    expect(verdict(check, { check_type: 'process', count, memory_bytes: 0 })).toBe(expected)
  },
)
