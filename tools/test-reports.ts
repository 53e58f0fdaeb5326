import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'

export interface Counts {
  passed: number
  failed: number
  skipped: number
  /** Passed at a second try; among `passed`. */
  flaky: number
}

export interface Report extends Counts {
  /** A line for each test that failed, then for each that needed a second try: file, name and first error. */
  troubles: string[]
}

const Status = z.enum(['passed', 'failed', 'skipped', 'pending', 'todo', 'disabled'])
const VitestReport = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: Status, failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
})

const PlaywrightSuite = z.object({
  specs: z.array(
    z.object({
      title: z.string(),
      file: z.string(),
      tests: z.array(
        z.object({
          status: z.enum(['expected', 'unexpected', 'flaky', 'skipped']),
          results: z.array(
            z.object({
              error: z
                .object({
                  message: z.string().optional(),
                  location: z.object({ file: z.string(), line: z.number() }).optional(),
                })
                .optional(),
            }),
          ),
        }),
      ),
    }),
  ),
  get suites() {
    return z.array(PlaywrightSuite).optional()
  },
})
const PlaywrightReport = z.object({ suites: z.array(PlaywrightSuite) })

/** One test as both runners report it. */
interface Outcome {
  name: string
  state: 'passed' | 'failed' | 'skipped' | 'flaky'
  error?: string
}

/**
 * What a runner reported in its JSON file. A runner that failed without a failed test (a file that cannot be loaded, a
 * missing report) counts as one failure, so that the sum never looks better than the exit code.
 */
export function readReport(file: string, ok: boolean): Report {
  const report = existsSync(file) ? parseReport(JSON.parse(readFileSync(file, 'utf8'))) : undefined
  if (report === undefined)
    return { passed: 0, failed: 1, skipped: 0, flaky: 0, troubles: ['The runner wrote no report'] }
  if (ok || report.failed > 0) return report
  return { ...report, failed: 1, troubles: [...report.troubles, 'The runner failed without a failed test'] }
}

export function parseReport(report: unknown): Report | undefined {
  const vitest = VitestReport.safeParse(report)
  if (vitest.success) return summarize(readVitest(vitest.data), readBrokenFiles(vitest.data))
  const playwright = PlaywrightReport.safeParse(report)
  return playwright.success ? summarize(playwright.data.suites.flatMap(readPlaywright)) : undefined
}

function summarize(outcomes: readonly Outcome[], brokenFiles: string[] = []): Report {
  const count = (state: Outcome['state']) => outcomes.filter((outcome) => outcome.state === state).length
  const list = (state: Outcome['state'], label: string) =>
    outcomes
      .filter((outcome) => outcome.state === state)
      .map(({ name, error }) => `${label}: ${name}${error === undefined ? '' : `: ${inOneLine(error)}`}`)
  return {
    passed: count('passed') + count('flaky'),
    failed: count('failed'),
    skipped: count('skipped'),
    flaky: count('flaky'),
    troubles: [
      ...brokenFiles,
      ...list('failed', 'Failed'),
      ...list('flaky', 'Passed at the second try only'),
    ],
  }
}

/** Vitest keeps the errors of the first try at a test that passed in the second. */
function readVitest({ testResults }: z.infer<typeof VitestReport>): Outcome[] {
  return testResults.flatMap((file) =>
    file.assertionResults.map(({ fullName, status, failureMessages }) => {
      const [error] = failureMessages
      const passed = error === undefined ? 'passed' : 'flaky'
      const state = status === 'passed' ? passed : status === 'failed' ? 'failed' : 'skipped'
      return {
        name: `${basename(file.name)} > ${fullName.trim()}`,
        state,
        ...(error !== undefined && { error }),
      }
    }),
  )
}

function readBrokenFiles({ testResults }: z.infer<typeof VitestReport>): string[] {
  return testResults
    .filter(({ status, message }) => status === 'failed' && message !== '')
    .map(({ name, message }) => `Failed: ${basename(name)}: ${inOneLine(message)}`)
}

const STATES = { expected: 'passed', unexpected: 'failed', flaky: 'flaky', skipped: 'skipped' } as const

function readPlaywright(suite: z.infer<typeof PlaywrightSuite>): Outcome[] {
  const own = suite.specs.flatMap(({ title, file, tests }) =>
    tests.map(({ status, results }): Outcome => {
      const { message, location } = results.find((result) => result.error !== undefined)?.error ?? {}
      const at = location === undefined ? '' : `${basename(location.file)}:${location.line}: `
      const name = `${file} > ${title}`
      return { name, state: STATES[status], ...(message !== undefined && { error: `${at}${message}` }) }
    }),
  )
  return [...own, ...(suite.suites ?? []).flatMap(readPlaywright)]
}

const MAX_ERROR_CHARACTERS = 600

/** An error on one line: what was expected and what came are on lines of their own. */
function inOneLine(error: string): string {
  const lines = stripVTControlCharacters(error).split('\n')
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('at '))
    .join(' | ')
    .slice(0, MAX_ERROR_CHARACTERS)
}
