import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'
import type { TestResult } from './test-results.ts'

/** Written by tools/vitest-results.ts. */
const VitestReport = z.array(
  z.object({
    file: z.string().optional(),
    name: z.string(),
    state: z.enum(['passed', 'failed', 'skipped']),
    error: z.string().optional(),
  }),
)

const PlaywrightError = z.object({
  message: z.string().optional(),
  location: z.object({ file: z.string(), line: z.number() }).optional(),
})
const PlaywrightSuite = z.object({
  specs: z.array(
    z.object({
      title: z.string(),
      file: z.string(),
      tests: z.array(
        z.object({
          status: z.enum(['expected', 'unexpected', 'flaky', 'skipped']),
          results: z.array(z.object({ error: PlaywrightError.optional() })),
        }),
      ),
    }),
  ),
  get suites() {
    return z.array(PlaywrightSuite).optional()
  },
})
const PlaywrightReport = z.object({
  config: z.object({ rootDir: z.string() }),
  suites: z.array(PlaywrightSuite),
  errors: z.array(PlaywrightError),
})

/**
 * What a runner reported in its JSON file. A runner that failed without a failed test, or wrote no report, has a failed
 * result of its own, so that the sum never looks better than the exit code.
 */
export function readReport(file: string, ok: boolean): TestResult[] {
  const results = existsSync(file) ? parseReport(JSON.parse(readFileSync(file, 'utf8'))) : undefined
  if (results === undefined) return [{ name: '', state: 'failed', error: 'The runner wrote no report' }]
  if (ok || results.some(({ state }) => state === 'failed')) return results
  return [...results, { name: '', state: 'failed', error: 'The runner failed without a failed test' }]
}

export function parseReport(report: unknown): TestResult[] | undefined {
  const vitest = VitestReport.safeParse(report)
  if (vitest.success) return vitest.data.map(shorten)
  const playwright = PlaywrightReport.safeParse(report)
  if (!playwright.success) return undefined
  const { config, suites, errors } = playwright.data
  return [
    ...suites.flatMap((suite) => readSuite(config.rootDir, suite)),
    ...errors.map(({ message = 'unknown error' }): TestResult => ({
      name: '',
      state: 'failed',
      error: message,
    })),
  ].map(shorten)
}

// No test of the project is tried twice in a run: a flaky one would be a setting that came back.
const STATES = { expected: 'passed', unexpected: 'failed', flaky: 'failed', skipped: 'skipped' } as const

function readSuite(folder: string, suite: z.infer<typeof PlaywrightSuite>): TestResult[] {
  const own = suite.specs.flatMap(({ title, file, tests }) =>
    tests.map(({ status, results }): TestResult => {
      const { message, location } = results.find((result) => result.error !== undefined)?.error ?? {}
      const line = location === undefined ? '' : `line ${location.line}: `
      return {
        file: join(folder, file),
        name: title,
        state: STATES[status],
        ...(message !== undefined && { error: `${line}${message}` }),
      }
    }),
  )
  return [...own, ...(suite.suites ?? []).flatMap((inner) => readSuite(folder, inner))]
}

const MAX_ERROR_CHARACTERS = 600

/** An error on one line: what was expected and what came are on lines of their own. */
function shorten(result: TestResult): TestResult {
  if (result.error === undefined) return result
  const lines = stripVTControlCharacters(result.error).split('\n')
  const error = lines
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('at '))
    .join(' | ')
    .slice(0, MAX_ERROR_CHARACTERS)
  return { ...result, error }
}
