import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readProgram, root } from './programs.ts'
import { parseReport, readReport } from './test-reports.ts'

const folder = mkdtempSync(join(tmpdir(), 'muster-reports-'))
afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

test('Vitest reports tests, hooks, files that do not load and errors that nobody caught', async () => {
  const tests = {
    'works.test.ts': "test('adds', () => {})\ntest('divides', () => { throw new Error('by\\nzero') })",
    'hook.test.ts': "beforeAll(() => { throw new Error('no room') })\ntest('opens', () => {})",
    'load.test.ts': "throw new Error('no module')",
    'late.test.ts':
      "test('ends', async () => { setTimeout(() => { throw new Error('too late') }); await new Promise((end) => setTimeout(end, 200)) })",
  }
  for (const [name, text] of Object.entries(tests))
    write(name, `import { beforeAll, test } from 'vitest'\n${text}\nvoid beforeAll`)
  const reporter = join(root, 'tools/vitest-results.ts')
  const report = join(folder, 'report.json')
  const config = write(
    'vitest.config.mjs',
    `import { ResultReporter } from ${JSON.stringify(reporter)}
     export default { test: { reporters: [new ResultReporter(${JSON.stringify(report)})] } }`,
  )
  // The files import Vitest as any file of the project does.
  const { ok } = await readProgram(['vitest', 'run', '--root', folder, '--config', config])
  expect(ok).toBe(false)
  const rows = readReport(report, ok).map(({ file = '', name, state, error = '' }) =>
    `${file.slice(folder.length + 1)} ${name} ${state} ${error}`.trim(),
  )
  expect(rows.toSorted()).toEqual([
    'hook.test.ts  failed Error: no room',
    'hook.test.ts opens skipped',
    'late.test.ts  failed unhandled: Error: too late',
    'late.test.ts ends passed',
    'load.test.ts  failed Error: no module',
    'works.test.ts adds passed',
    'works.test.ts divides failed Error: by | zero',
  ])
})

test('Playwright reports tests with their files, and errors of its own', () => {
  const spec = (title: string, status: string, errors: string[]) => ({
    title,
    file: 'a.story.ts',
    tests: [
      {
        status,
        results: errors.map((message) => ({
          error: { message, location: { file: '/e2e/stories/a.story.ts', line: 7 } },
        })),
      },
    ],
  })
  const suites = [
    {
      specs: [spec('opens', 'expected', [])],
      suites: [{ specs: [spec('saves', 'skipped', []), spec('closes', 'unexpected', ['gone\nlog'])] }],
    },
  ]
  const report = { config: { rootDir: '/e2e/stories' }, suites, errors: [{ message: 'no browser' }] }
  const file = '/e2e/stories/a.story.ts'
  expect(parseReport(report)).toEqual([
    { file, name: 'opens', state: 'passed' },
    { file, name: 'saves', state: 'skipped' },
    { file, name: 'closes', state: 'failed', error: 'line 7: gone | log' },
    { name: '', state: 'failed', error: 'no browser' },
  ])
})

test('anything else is no report', () => {
  expect(parseReport({ tests: 3 })).toBeUndefined()
})

test('a runner that failed without a failed test has a failed result', () => {
  expect(readReport(write('empty.json', '[]'), false)).toEqual([
    { name: '', state: 'failed', error: 'The runner failed without a failed test' },
  ])
})

test('a runner without a report has a failed result', () => {
  expect(readReport(join(folder, 'absent.json'), true)).toEqual([
    { name: '', state: 'failed', error: 'The runner wrote no report' },
  ])
})
