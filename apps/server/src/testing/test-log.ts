import { pino } from 'pino'
import type { Log } from '../platform/log/log.ts'

const WARNING = 40

/** A log that keeps its lines. `check` throws on an unexpected warning or error. */
export function createTestLog(): {
  log: Log
  lines: Record<string, unknown>[]
  expect: (pattern: RegExp) => void
  check: () => void
} {
  const lines: Record<string, unknown>[] = []
  const expected: RegExp[] = []
  const log = pino(
    { level: 'debug', base: null },
    // Every line of pino is one JSON object.
    { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  )
  return {
    log,
    lines,
    expect: (pattern) => void expected.push(pattern),
    check: () => {
      const unexpected = lines
        .filter((line) => Number(line['level']) >= WARNING)
        .map((line) => JSON.stringify(line))
        .filter((line) => !expected.some((pattern) => pattern.test(line)))
      if (unexpected.length > 0) {
        throw new Error(`Unexpected warnings in the server's log:\n${unexpected.join('\n')}`)
      }
    },
  }
}
