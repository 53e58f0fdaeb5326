import { ApiError } from '@muster/contract/client'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../client.ts'
import { CliError, describeError } from '../errors.ts'
import { type Context, note, print, printJson } from '../output.ts'
import { formatTable } from '../text.ts'
import type { IdOf, Step } from './steps.ts'

/** A step as shown: in a plan its outcome, afterwards its result. */
interface ShownStep {
  kind: string
  name: string
  result: Step['outcome'] | 'created' | 'changed' | 'failed' | 'skipped'
  reason: string
}

const RESULTS: readonly ShownStep['result'][] = [
  'create',
  'created',
  'change',
  'changed',
  'failed',
  'skipped',
  'exists',
  'by hand',
  'left out',
]
const COUNTED: Partial<Record<ShownStep['result'], string>> = {
  create: 'to create',
  change: 'to change',
  exists: 'already here',
}
const MAX_NAME = 60
const INTERRUPTED = 130

/** Prints the plan, or carries it out and prints the results. Returns the exit code. */
export async function finishImport(
  context: Context,
  steps: readonly Step[],
  isApplied: boolean,
): Promise<number> {
  const shown = isApplied ? await applySteps(context, steps) : steps.map(showPlanned)
  if (context.json) printJson({ applied: isApplied, steps: shown })
  else if (shown.length === 0) print('Nothing to import.')
  else print(formatSteps(shown))
  note(`${countResults(shown)}${isApplied ? '' : ' Nothing was changed. Add --apply to carry out the plan.'}`)
  if (context.signal.aborted) return INTERRUPTED
  return shown.some(({ result }) => result === 'failed' || result === 'skipped') ? 1 : 0
}

function showPlanned({ kind, name, outcome, reason }: Step): ShownStep {
  return { kind, name, result: outcome, reason }
}

/** Each step after those that it needs. What needs a failed one is skipped. */
async function applySteps({ client, signal }: Context, steps: readonly Step[]): Promise<ShownStep[]> {
  const ids = new Map<string, number>()
  const shown: ShownStep[] = []
  let end = ''
  for (const step of steps) {
    const { kind, name, needs, run, reason } = step
    for (const [key, id] of step.ids) ids.set(key, id)
    if (run === undefined) {
      shown.push(showPlanned(step))
      continue
    }
    if (signal.aborted) end = 'Interrupted.'
    const missing = needs.filter(({ key }) => !ids.has(key)).map(({ label }) => label)
    if (end !== '' || missing.length > 0) {
      shown.push({
        kind,
        name,
        result: 'skipped',
        reason: end || `Needs ${missing.join(', ')}, not created.`,
      })
      continue
    }
    try {
      for (const [key, id] of await runPatiently(client, signal, run, idsOf(ids))) ids.set(key, id)
      shown.push({ kind, name, result: step.outcome === 'create' ? 'created' : 'changed', reason })
    } catch (error) {
      shown.push({ kind, name, result: 'failed', reason: describeError(error) })
      if (error instanceof ApiError && error.code === 'network') end = 'The server cannot be reached.'
    }
  }
  return shown
}

/** The server takes a number of requests per key and minute. */
async function runPatiently(
  client: Client,
  signal: AbortSignal,
  run: NonNullable<Step['run']>,
  idOf: IdOf,
): Promise<ReadonlyMap<string, number>> {
  for (;;) {
    try {
      return await run(client, idOf)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'too_many_requests') throw error
      await sleep((error.retryAfterSeconds ?? 10) * 1000, undefined, { signal })
    }
  }
}

function idsOf(ids: ReadonlyMap<string, number>): IdOf {
  return (key) => {
    const id = ids.get(key)
    if (id === undefined) throw new CliError(`Not created: ${key}.`)
    return id
  }
}

/** Reasons are never cut: a terminal wraps them. */
function formatSteps(shown: readonly ShownStep[]): string {
  return formatTable(
    [
      ['KIND', ({ kind }) => kind],
      ['NAME', ({ name }) => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name)],
      ['RESULT', ({ result }) => result],
      ['REASON', ({ reason }) => reason],
    ],
    shown,
  )
}

function countResults(shown: readonly ShownStep[]): string {
  const counts = RESULTS.flatMap((wanted) => {
    const { length } = shown.filter(({ result }) => result === wanted)
    return length === 0 ? [] : [`${length} ${COUNTED[wanted] ?? wanted}`]
  })
  return counts.length === 0 ? 'No steps.' : `${counts.join(', ')}.`
}
