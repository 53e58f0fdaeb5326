import type { ActionResult } from '@muster/contract/agent/tasks'

export interface RunVerdict {
  status: 'passing' | 'failing'
  /** Of the first action that failed, else 0; null when nothing came to its end. */
  retcode: number | null
  /** What went wrong, as a sentence; empty when nothing did. */
  more_info: string
}

const LONGEST = 1000

/**
 * Whether a run was what it should be: all of its actions ended with exit code 0. One that `collects` its output must
 * not have printed an error either: many shells end with 0 all the same.
 */
export function judgeTaskRun(
  run: { reason: string | null; actions: readonly ActionResult[] },
  { collects }: { collects: boolean },
): RunVerdict {
  const failed = run.actions.filter(({ outcome }) => outcome !== 'skipped').find(isFailed)
  if (run.reason === null && failed === undefined) {
    const wrote = collects ? run.actions.find(({ stderr }) => stderr.trim() !== '') : undefined
    if (wrote === undefined) return { status: 'passing', retcode: 0, more_info: '' }
    const more_info = `"${wrote.name}" printed an error, so its result was not taken over.`
    return { status: 'failing', retcode: 0, more_info }
  }
  const more_info = run.reason ?? (failed === undefined ? '' : describeFailure(failed))
  return { status: 'failing', retcode: failed?.retcode ?? null, more_info: more_info.slice(0, LONGEST) }
}

function isFailed({ outcome, retcode }: ActionResult): boolean {
  return outcome !== 'exited' || retcode !== 0
}

function describeFailure({ name, outcome, reason, retcode }: ActionResult): string {
  if (outcome === 'exited') return `"${name}" ended with exit code ${retcode ?? 'unknown'}.`
  return `"${name}": ${reason ?? 'It did not come to its end.'}`
}
