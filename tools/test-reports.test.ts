import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseCounts, readCounts } from './test-reports.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-reports-'))
afterAll(() => rmSync(folder, { recursive: true }))

const vitest = { numPassedTests: 12, numFailedTests: 0, numPendingTests: 1, numTodoTests: 2, success: true }

function write(name: string, report: unknown): string {
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify(report))
  return file
}

describe('counts', () => {
  test('of Vitest', () => {
    expect(parseCounts(vitest)).toEqual({ passed: 12, failed: 0, skipped: 3, flaky: 0 })
  })

  test('of Playwright, where a test that passed at the second try is counted apart too', () => {
    const stats = { expected: 7, unexpected: 1, flaky: 1, skipped: 0, duration: 3 }
    expect(parseCounts({ stats })).toEqual({ passed: 8, failed: 1, skipped: 0, flaky: 1 })
  })

  test('of anything else are none', () => {
    expect(parseCounts({ tests: 3 })).toBeUndefined()
  })

  test('a runner that failed without a failed test counts as a failure', () => {
    expect(readCounts(write('a.json', vitest), false)).toEqual({
      passed: 12,
      failed: 1,
      skipped: 3,
      flaky: 0,
    })
  })

  test('a runner without a report counts as a failure', () => {
    expect(readCounts(join(folder, 'absent.json'), true)).toEqual({
      passed: 0,
      failed: 1,
      skipped: 0,
      flaky: 0,
    })
  })
})
