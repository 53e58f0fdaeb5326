import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { runProgram } from './programs.ts'
import { startTestNats } from './test-nats.ts'
import { startTestPostgres } from './test-postgres.ts'
import { readReport } from './test-reports.ts'
import type { TestResult } from './test-results.ts'
import type { Step } from './test-steps.ts'

export interface StepRun {
  /** Results of its tests; a step without a runner has one failed result, or none. */
  results: TestResult[]
  seconds: number
  /** Mean number of threads that used a processor or waited for one. */
  meanLoad: number
}

export interface StepOptions {
  /** Folder for the runner's report. */
  folder: string
  /** Only these files run, one after another; an empty list is all of them. */
  aloneFiles?: readonly string[]
}

/** Runs a step with its own database servers, and prints its output as it comes. Never throws: the others must run. */
export async function runStep(step: Step, options: StepOptions): Promise<StepRun> {
  const startedMs = Date.now()
  const load = measureLoad()
  const results = await readResults(step, options).catch((error: unknown): TestResult[] => [
    { name: '', state: 'failed', error: `The step broke off: ${String(error)}` },
  ])
  return { results, seconds: (Date.now() - startedMs) / 1000, meanLoad: load.stop() }
}

async function readResults(step: Step, options: StepOptions): Promise<TestResult[]> {
  await using servers = new AsyncDisposableStack()
  const report = join(options.folder, `${step.name.replaceAll(' ', '-')}-${Date.now()}.json`)
  const env = { ...step.env, ...(await startServers(step, servers)), ...reportEnv(step, report) }
  const ok = await runProgram(listCommand(step, options), env)
  if (step.runner !== undefined) return readReport(report, ok)
  return ok ? [] : [{ name: '', state: 'failed', error: 'The check failed' }]
}

function listCommand({ command, files = [], runner }: Step, { aloneFiles }: StepOptions): string[] {
  if (runner === undefined) return command
  const isVitest = runner === 'vitest'
  return [
    ...command,
    ...(isVitest ? [] : ['--reporter=list,json']),
    ...(aloneFiles === undefined ? files : [isVitest ? '--maxWorkers=1' : '--workers=1', ...aloneFiles]),
  ]
}

function reportEnv({ runner }: Step, report: string): Record<string, string> {
  if (runner === 'vitest') return { MUSTER_TEST_RESULTS: report }
  return runner === 'playwright' ? { PLAYWRIGHT_JSON_OUTPUT_FILE: report } : {}
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

const SAMPLE_MS = 1000

function measureLoad(): { stop(): number } {
  const samples: number[] = []
  const timer = setInterval(() => samples.push(countRunning()), SAMPLE_MS)
  return {
    stop() {
      clearInterval(timer)
      return samples.reduce((sum, sample) => sum + sample, 0) / Math.max(1, samples.length)
    },
  }
}

/** The load average of a minute would still hold the step before; proc_loadavg(5) has the number of this moment too. */
function countRunning(): number {
  if (process.platform !== 'linux') return loadavg()[0] ?? 0
  const [, running = '1'] = /(\d+)\/\d+/.exec(readFileSync('/proc/loadavg', 'utf8')) ?? []
  // Without the thread that reads it.
  return Number(running) - 1
}
