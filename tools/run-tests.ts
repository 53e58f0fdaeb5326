// `npm test`: what must hold at every landing; `npm run test:all`: everything; `npm run test:changed -- REF`: what the
// changes since REF touch, by default since the last landing of `main`. Each step runs to its end, then each test
// file that failed runs once more alone. What passes there is flaky: reported by name, and forgiven up to MAX_FLAKY.
// `npm test -- units server` runs the steps whose names contain one of these words. The last line is
// `N passed, N failed`, summed over the runners.
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { findBase, findStories, findTests, isCommit, listChangedFiles } from './changed-files.ts'
import { root } from './programs.ts'
import { runStep, type StepRun } from './run-step.ts'
import { installSystemPrograms, SYSTEM_PROGRAMS } from './system-programs.ts'
import { judgeResults, listFailedFiles, type TestResult, type Verdict } from './test-results.ts'
import { listChangedSteps, listSteps, type Step } from './test-steps.ts'

const MAX_FLAKY = 30

const isCi = process.env['CI'] === 'true'
const isAll = process.argv.includes('--all')
const isChangedOnly = process.argv.includes('--changed')
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const steps = listChosenSteps()
const folder = mkdtempSync(join(tmpdir(), 'muster-test-'))
const missing = installSystemPrograms()
const leftOut: string[] = []

const runs: { step: Step; run: StepRun }[] = []
for (const step of steps) {
  const absent = step.needs.filter((name) => missing.includes(name))
  if (absent.length > 0 || step.isPossible?.() === false) {
    const reason = absent.length > 0 ? `without ${listPackages(absent)}` : step.needsToo
    leftOut.push(`${step.name}, ${reason}`)
    continue
  }
  console.log(`\n=== ${step.name}`)
  const run = await runStep(step, { folder })
  const failed = run.results.filter(({ state }) => state === 'failed').length
  console.log(`=== ${step.name}: ${failed === 0 ? 'ok' : `${failed} to run again alone`}, ${inSeconds(run)}`)
  runs.push({ step, run })
}

const verdicts: (Verdict & { step: Step; run: StepRun })[] = []
for (const { step, run } of runs) {
  verdicts.push({ step, run, ...judgeResults(run.results, await runFailedFilesAlone(step, run)) })
}
rmSync(folder, { recursive: true, force: true })
const passed = verdicts.reduce((sum, verdict) => sum + verdict.passed + verdict.flaky.length, 0)
const flaky = verdicts.flatMap((verdict) => verdict.flaky.map((result) => ({ verdict, result })))
const failed = verdicts.flatMap((verdict) => verdict.failed.map((result) => ({ verdict, result })))
report()

function listChosenSteps(): Step[] {
  if (!isChangedOnly) return listSteps().filter(isChosen)
  const base = words[0] ?? findBase()
  if (!isCommit(base)) {
    console.log(`There is no commit ${base}.`)
    process.exit(1)
  }
  const changed = listChangedFiles(base)
  const stories = globSync('*.story.ts', { cwd: join(root, 'e2e/stories') })
  const names = stories.map((file) => file.replace('.story.ts', '')).toSorted()
  const tests = globSync(['apps/server/src/**/*.test.ts', 'apps/console/src/**/*.test.tsx'], { cwd: root })
  return listChangedSteps({
    base,
    tests: findTests(changed, tests.toSorted()),
    stories: findStories(changed, names).map((story) => `/${story}.story.ts`),
  })
}

function isChosen({ name, isInAllOnly }: Step): boolean {
  return words.length === 0 ? isAll || isInAllOnly !== true : words.some((word) => name.includes(word))
}

async function runFailedFilesAlone(step: Step, { results }: StepRun): Promise<TestResult[]> {
  const failures = results.filter(({ state }) => state === 'failed').length
  // So many cannot end well, flaky or not.
  if (step.runner === undefined || failures === 0 || failures > MAX_FLAKY) return []
  const files = listFailedFiles(results)
  if (files === undefined) {
    console.log(`\n=== ${step.name}, all of it again with one worker`)
    return (await runStep(step, { folder, aloneFiles: step.files ?? [] })).results
  }
  const alone: TestResult[] = []
  for (const file of files) {
    console.log(`\n=== ${step.name}, alone: ${relative(root, file)}`)
    alone.push(...(await runStep(step, { folder, aloneFiles: [file] })).results)
  }
  return alone
}

function report(): void {
  console.log(`\n${'step'.padEnd(32)} passed  flaky failed seconds  load`)
  for (const { step, run, ...verdict } of verdicts) {
    const counts = [verdict.passed, verdict.flaky.length, verdict.failed.length].map((count) =>
      String(count).padStart(7),
    )
    const times = `${Math.round(run.seconds)}`.padStart(8) + run.meanLoad.toFixed(1).padStart(6)
    console.log(`${step.name.padEnd(31)}${counts.join('')}${times}`)
  }
  for (const { verdict, result } of flaky) console.log(`!!! flaky: ${describe(verdict.step, result)}`)
  for (const { verdict, result } of failed) console.log(`!!! failed: ${describe(verdict.step, result)}`)
  for (const name of leftOut) console.log(`!!! left out: ${name}`)
  const skipped = verdicts.filter((verdict) => verdict.skipped > 0)
  for (const verdict of skipped) console.log(`!!! ${verdict.skipped} skipped in: ${verdict.step.name}`)
  const isTooFlaky = flaky.length > MAX_FLAKY
  if (isTooFlaky) console.log(`!!! ${flaky.length} flaky tests, more than ${MAX_FLAKY}`)
  writeFlaky()
  // On the machine that decides, nothing may be left out.
  const incomplete = isCi ? leftOut.length + skipped.length : 0
  const failures = failed.length + incomplete + (isTooFlaky ? 1 : 0)
  console.log(`${passed} passed, ${failures} failed`)
  process.exitCode = failures === 0 ? 0 : 1
}

function writeFlaky(): void {
  const results = join(root, 'test-results')
  mkdirSync(results, { recursive: true })
  const rows = flaky.map(({ verdict, result }) => ({
    step: verdict.step.name,
    ...result,
    ...(result.file !== undefined && { file: relative(root, result.file) }),
  }))
  writeFileSync(join(results, 'flaky.json'), `${JSON.stringify(rows, null, 2)}\n`)
}

function describe(step: Step, { file, name, error = '' }: TestResult): string {
  const test = [file === undefined ? '' : relative(root, file), name]
    .filter((part) => part !== '')
    .join(' > ')
  return [step.name, test, error].filter((part) => part !== '').join(': ')
}

function listPackages(names: readonly (keyof typeof SYSTEM_PROGRAMS)[]): string {
  return names.map((name) => SYSTEM_PROGRAMS[name].package).join(', ')
}

function inSeconds({ seconds, meanLoad }: StepRun): string {
  return `${Math.round(seconds)} s, mean load ${meanLoad.toFixed(1)}`
}
