// Everything that has to hold, until the first step that fails: static checks first, then the other steps in lanes beside
// each other.
// `npm test -- units server` runs the steps whose names contain one of these words. The last line is
// `N passed, N failed`, summed over the runners.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readProgram, runProgram } from './programs.ts'
import { installSystemPrograms, SYSTEM_PROGRAMS } from './system-programs.ts'
import { startTestNats } from './test-nats.ts'
import { startTestPostgres } from './test-postgres.ts'
import { readReport } from './test-reports.ts'
import { LANES, listSteps, type Step } from './test-steps.ts'

const isCi = process.env['CI'] === 'true'
const words = process.argv.slice(2)
const reports = mkdtempSync(join(tmpdir(), 'muster-test-'))
const sum = { passed: 0, failed: 0 }
const notes: string[] = []

const missing = installSystemPrograms()
if (missing.length > 0) {
  const packages = missing.map((name) => SYSTEM_PROGRAMS[name].package).join(', ')
  notes.push(`Not installed here: ${packages}`)
  if (isCi) sum.failed += 1
}
if (sum.failed === 0) await runSteps()
rmSync(reports, { recursive: true, force: true })
for (const note of notes) console.log(`!!! ${note}`)
console.log(`${sum.passed} passed, ${sum.failed} failed`)
process.exitCode = sum.failed === 0 ? 0 : 1

async function runSteps(): Promise<void> {
  const steps = listSteps().filter(
    ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
  )
  await runLane(steps.filter(({ lane }) => lane === undefined))
  await Promise.all(LANES.map((lane) => runLane(steps.filter((step) => step.lane === lane))))
}

async function runLane(steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (sum.failed > 0) return
    const absent = step.needs.filter((name) => missing.includes(name))
    if (absent.length > 0 || step.isPossible?.() === false) {
      notes.push(`Left out: ${step.name}${absent.length > 0 ? '' : `, ${step.needsToo}`}`)
      continue
    }
    await runStep(step)
  }
}

async function runStep(step: Step): Promise<void> {
  const isPrintedAtEnd = step.lane !== undefined && step.lane !== 'browser'
  console.log(`\n=== ${step.name}${isPrintedAtEnd ? ': its output comes when it ends' : ''}`)
  const startedMs = Date.now()
  const report = join(reports, `${step.name.replaceAll(' ', '-')}.json`)
  await using servers = new AsyncDisposableStack()
  const env: Record<string, string> = { ...(await startServers(step, servers)) }
  const command = [...step.command, ...reporterArgs(step, report, env)]
  const ok = isPrintedAtEnd ? await printAtEnd(command, env) : await runProgram(command, env)
  const seconds = ((Date.now() - startedMs) / 1000).toFixed(1)
  if (step.runner === undefined) {
    if (!ok) sum.failed += 1
    console.log(`=== ${step.name}: ${ok ? 'ok' : 'FAILED'}, ${seconds} s`)
    return
  }
  const { passed, failed, skipped, troubles } = readReport(report, ok)
  sum.passed += passed
  sum.failed += failed
  console.log(`=== ${step.name}: ${passed} passed, ${failed} failed, ${seconds} s`)
  notes.push(...troubles.map((trouble) => `${step.name}: ${trouble}`))
  if (skipped > 0) {
    notes.push(`${skipped} skipped in: ${step.name}`)
    if (isCi) sum.failed += 1
  }
}

async function printAtEnd(command: string[], env: Record<string, string>): Promise<boolean> {
  const { ok, output } = await readProgram(command, env)
  console.log(output)
  return ok
}

async function startServers(step: Step, stack: AsyncDisposableStack): Promise<Record<string, string>> {
  const env: Record<string, string> = {}
  if (step.servers.includes('postgres')) {
    const postgres = await startTestPostgres()
    stack.defer(() => postgres.stop())
    env['MUSTER_TEST_POSTGRES'] = postgres.url
    env['MUSTER_TEST_ENGINE'] = 'postgres'
  }
  if (step.servers.includes('nats')) {
    const nats = await startTestNats()
    stack.defer(() => nats.stop())
    env['MUSTER_TEST_NATS'] = nats.url
  }
  return env
}

/** Playwright takes the report's name from the environment, Vitest from an option. */
function reporterArgs(step: Step, report: string, env: Record<string, string>): string[] {
  if (step.runner === 'vitest')
    return [
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...(isCi ? ['--retry=1'] : []),
    ]
  if (step.runner === 'playwright') {
    env['PLAYWRIGHT_JSON_OUTPUT_FILE'] = report
    return ['--reporter=list,json']
  }
  return []
}
