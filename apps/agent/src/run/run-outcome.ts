import { describeError } from '../log/log.ts'
import type { ResultReport } from '../state/run-records.ts'
import { RunRefused } from './run-refused.ts'

export type Outcome = Pick<
  ResultReport,
  'outcome' | 'reason' | 'retcode' | 'execution_time' | 'output_cut_bytes'
>

/** Why a run was ended from outside. */
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
    const reason = `${stop?.reason ?? ''} Its process hangs in the system and could not be ended.`.trim()
    return { outcome: stop?.outcome ?? 'failed', reason, retcode: null }
  }
  if (end.signal === null) {
    const reason = why?.() ?? null
    return { outcome: reason === null ? 'exited' : 'failed', reason, retcode: end.code }
  }
  return { outcome: 'failed', reason: `The process was ended by the signal ${end.signal}.`, retcode: null }
}

/** Nothing was started because something is missing here (refused) or went wrong (failed). */
export function describePreparation(cause: unknown): Outcome {
  const isRefused = cause instanceof RunRefused
  const reason = isRefused ? cause.message : `The run cannot be prepared: ${describeError(cause)}.`
  return { outcome: isRefused ? 'refused' : 'failed', reason, ...NOTHING_RAN }
}

export function describeStartFailure(cause: unknown, program: string): Outcome {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const why = START_FAILURES[code] ?? describeError(cause)
  return { outcome: 'failed', reason: `${program} cannot be started: ${why}.`, ...NOTHING_RAN }
}

const START_FAILURES: Partial<Record<string, string>> = {
  ENOENT: 'there is no such program',
  EACCES: 'the agent may not run it',
  E2BIG: 'its arguments and environment are too long',
  EAGAIN: 'the machine has no room for another process',
  ENOMEM: 'the machine is out of memory',
}
