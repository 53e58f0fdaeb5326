import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTestLog } from '../../testing/test-log.ts'
import { LimitedLog } from './limited-log.ts'

const FAILED = 'agent failed its challenge'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('the first line of each source is logged, then the count of further ones per minute', () => {
  const { log, lines } = createTestLog()
  using limited = new LimitedLog(log)
  for (let count = 0; count < 1000; count += 1) limited.write('192.0.2.1', { code: 'unreadable' }, FAILED)
  limited.write('192.0.2.2', { code: 'unreadable' }, FAILED)
  expect(lines).toMatchObject([
    { source: '192.0.2.1', code: 'unreadable', msg: FAILED },
    { source: '192.0.2.2', code: 'unreadable', msg: FAILED },
  ])
  vi.advanceTimersByTime(60_000)
  expect(lines.slice(2)).toMatchObject([{ source: '192.0.2.1', more: 999, seconds: 60, msg: FAILED }])
  // A source that was quiet for a minute starts over.
  limited.write('192.0.2.2', {}, FAILED)
  limited.write('192.0.2.1', {}, FAILED)
  expect(lines).toHaveLength(4)
})

test('thousands of sources do not cause thousands of lines', () => {
  const { log, lines } = createTestLog()
  using limited = new LimitedLog(log)
  for (let count = 0; count < 10_000; count += 1) limited.write(`2001:db8::${count}`, {}, FAILED)
  expect(lines).toHaveLength(201)
  expect(lines.at(-1)).toMatchObject({ source: 'others' })
})
