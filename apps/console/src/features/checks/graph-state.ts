import type { GraphFailure, GraphPeriod } from './graph-marks.ts'

interface States {
  failures: readonly GraphFailure[]
  maintenance?: readonly GraphPeriod[] | undefined
}

/** The marks of a moment as text: `failing · error, in maintenance`; empty = none. */
export function stateAt(at: number, { failures, maintenance = [] }: States): string {
  const lasts = ({ from, to }: GraphPeriod) => from <= at && (to === null || at < to)
  const failure = failures.find(lasts)
  const words = [
    failure === undefined ? '' : `failing · ${failure.severity}`,
    maintenance.some(lasts) ? 'in maintenance' : '',
  ]
  return words.filter(Boolean).join(', ')
}
