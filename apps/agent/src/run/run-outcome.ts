import { describeError } from '../log/log.ts'
import type { ResultReport } from '../state/run-records.ts'
import { RunError } from '../errors.ts'

export type Outcome = Pick<
  ResultReport,
  'outcome' | 'reason' | 'retcode' | 'execution_time' | 'output_cut_bytes'
>

/** Why a run was stopped. */
export interface Stop {
  outcome: 'timed_out' | 'cancelled' | 'failed'
  reason: string
}

export const NOTHING_RAN = { retcode: null, execution_time: null, output_cut_bytes: 0 } as const

/** Ended before it started. */
export function stopped({ outcome, reason }: Stop): Outcome {
  return { outcome, reason, ...NOTHING_RAN }
}

export function describeEnd(
  stop: Stop | undefined,
  end: { code: number | null; signal: string | null } | undefined,
  why?: () => string | undefined,
): Pick<Outcome, 'outcome' | 'reason' | 'retcode'> {
  if (stop !== undefined && end !== undefined) return { ...stop, retcode: null }
  if (stop !== undefined || end === undefined) {
    const reason = `${stop?.reason ?? ''} Its process hangs in the system and did not end.`.trim()
    return { outcome: stop?.outcome ?? 'failed', reason, retcode: null }
  }
  if (end.signal === null) {
    const reason = why?.() ?? null
    return { outcome: reason === null ? 'exited' : 'failed', reason, retcode: end.code }
  }
  return { outcome: 'failed', reason: `The process was killed by signal ${end.signal}.`, retcode: null }
}

/** Nothing was started, because something is missing (refused) or failed. */
export function describePreparation(cause: unknown): Outcome {
  const isRefused = cause instanceof RunError
  const reason = isRefused ? cause.message : `Failed to prepare the run: ${describeError(cause)}.`
  return { outcome: isRefused ? 'refused' : 'failed', reason, ...NOTHING_RAN }
}

export function describeStartFailure(cause: unknown, program: string): Outcome {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const why = START_FAILURES[code] ?? describeError(cause)
  return { outcome: 'failed', reason: `Failed to start ${program}: ${why}.`, ...NOTHING_RAN }
}

const START_FAILURES: Partial<Record<string, string>> = {
  ENOENT: 'program not found',
  EACCES: 'permission denied',
  E2BIG: 'arguments and environment are too long',
  EAGAIN: 'the process limit is reached',
  ENOMEM: 'out of memory',
}
