import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseReport, readReport } from './test-reports.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-reports-'))
afterAll(() => rmSync(folder, { recursive: true }))

const vitest = {
  testResults: [
    {
      name: '/repository/a.test.ts',
      status: 'failed',
      message: '',
      assertionResults: [
        { fullName: ' adds', status: 'passed', failureMessages: [] },
        {
          fullName: ' subtracts',
          status: 'failed',
          failureMessages: ['Error: 1 is not 2\n    at a.test.ts:3'],
        },
        { fullName: ' divides', status: 'passed', failureMessages: ['Error: timed out'] },
        { fullName: ' multiplies', status: 'skipped', failureMessages: [] },
      ],
    },
  ],
}

const broken = {
  testResults: [{ name: '/b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] }],
}

function write(name: string, report: unknown): string {
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify(report))
  return file
}

describe('report', () => {
  test('of Vitest names what failed and what needed a second try', () => {
    expect(parseReport(vitest)).toEqual({
      passed: 2,
      failed: 1,
      skipped: 1,
      flaky: 1,
      troubles: [
        'Failed: a.test.ts > subtracts: Error: 1 is not 2',
        'Passed at the second try only: a.test.ts > divides: Error: timed out',
      ],
    })
  })

  test('of Playwright does so too', () => {
    const spec = (title: string, status: string, errors: string[]) => ({
      title,
      file: 'a.story.ts',
      tests: [
        {
          status,
          results: errors.map((message) => ({
            error: { message, location: { file: '/e2e/a.story.ts', line: 7 } },
          })),
        },
      ],
    })
    const suites = [
      {
        specs: [spec('opens', 'expected', [])],
        suites: [
          {
            specs: [spec('saves', 'flaky', ['Timeout\nlog']), spec('closes', 'unexpected', ['gone', 'gone'])],
          },
        ],
      },
    ]
    expect(parseReport({ suites })).toEqual({
      passed: 2,
      failed: 1,
      skipped: 0,
      flaky: 1,
      troubles: [
        'Failed: a.story.ts > closes: a.story.ts:7: gone',
        'Passed at the second try only: a.story.ts > saves: a.story.ts:7: Timeout | log',
      ],
    })
  })

  test('of anything else is none', () => {
    expect(parseReport({ tests: 3 })).toBeUndefined()
  })

  test('a file that cannot be loaded counts as a failure, with its reason', () => {
    const report = readReport(write('broken.json', broken), false)
    expect(report.failed).toBe(1)
    expect(report.troubles).toContain('Failed: b.test.ts: no such module')
  })

  test('a runner that failed without a failed test counts as a failure', () => {
    expect(readReport(write('empty.json', { testResults: [] }), false)).toEqual({
      passed: 0,
      failed: 1,
      skipped: 0,
      flaky: 0,
      troubles: ['The runner failed without a failed test'],
    })
  })

  test('a runner without a report counts as a failure', () => {
    expect(readReport(join(folder, 'absent.json'), true)).toEqual({
      passed: 0,
      failed: 1,
      skipped: 0,
      flaky: 0,
      troubles: ['The runner wrote no report'],
    })
  })
})
