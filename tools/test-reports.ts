import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'

export interface Counts {
  passed: number
  failed: number
  skipped: number
  /** Passed at a second try; among `passed`. */
  flaky: number
}

const VitestReport = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  numTodoTests: z.int(),
})
const PlaywrightReport = z.object({
  stats: z.object({ expected: z.int(), unexpected: z.int(), flaky: z.int(), skipped: z.int() }),
})

/**
 * What a runner counted, from its JSON file. A runner that failed without a failed test (a file that cannot be
 * loaded, a missing report) counts as one failure, so that the sum never looks better than the exit code.
 */
export function readCounts(file: string, ok: boolean): Counts {
  const counts = existsSync(file) ? parseCounts(JSON.parse(readFileSync(file, 'utf8'))) : undefined
  if (counts === undefined) return { passed: 0, failed: 1, skipped: 0, flaky: 0 }
  return ok || counts.failed > 0 ? counts : { ...counts, failed: 1 }
}

export function parseCounts(report: unknown): Counts | undefined {
  const vitest = VitestReport.safeParse(report)
  if (vitest.success) {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = vitest.data
    return {
      passed: numPassedTests,
      failed: numFailedTests,
      skipped: numPendingTests + numTodoTests,
      flaky: 0,
    }
  }
  const playwright = PlaywrightReport.safeParse(report)
  if (!playwright.success) return undefined
  const { expected, unexpected, flaky, skipped } = playwright.data.stats
  return { passed: expected + flaky, failed: unexpected, skipped, flaky }
}
