import type { TimelineEntry } from '@muster/contract/api/timeline'
import type { GraphFailure, GraphPeriod } from '../checks/graph-marks.ts'

/** What of a machine's timeline is drawn on its graphs: what was wrong, and when it was in maintenance. */
export function marksOf(entries: readonly TimelineEntry[]): {
  failures: GraphFailure[]
  maintenance: GraphPeriod[]
} {
  return {
    failures: entries.flatMap(({ kind, from, to, severity }) =>
      severity !== null && (kind === 'check' || kind === 'alert') ? [{ from, to, severity }] : [],
    ),
    maintenance: entries.filter(({ kind }) => kind === 'maintenance'),
  }
}
