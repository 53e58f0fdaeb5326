import { metricUnit } from '@muster/contract/agent/metrics'
import type { LiveMetrics, MachineMetrics } from '@muster/contract/api/metrics'
import type { TimeRange } from '../checks/graph-data.ts'

export type LiveSample = LiveMetrics['samples'][number]

/** The live range in seconds, and a little more. */
const KEPT_SECONDS = 330

/** The samples so far and the newer ones, as far back as any graph shows. */
export function addSamples(
  samples: readonly LiveSample[],
  newer: readonly LiveSample[],
): readonly LiveSample[] {
  const last = samples.at(-1)?.at ?? 0
  const all = [...samples, ...newer.filter(({ at }) => at > last)]
  const from = (all.at(-1)?.at ?? 0) - KEPT_SECONDS
  return all.filter(({ at }) => at >= from)
}

type Shown = MachineMetrics & { range: TimeRange }

/** Stored samples with live ones, in a range of the same length that ends with the last one. */
export function withTail<Metrics extends Shown>(metrics: Metrics, samples: readonly LiveSample[]): Metrics {
  const last = samples.at(-1)
  if (last === undefined) return metrics
  const to = Math.max(metrics.range.to, Math.ceil(last.at))
  const from = to - (metrics.range.to - metrics.range.from)
  const stored = new Map(metrics.series.map((series) => [series.name, series]))
  const names = new Set([...stored.keys(), ...Object.keys(last.values)])
  const series = Array.from(names, (name) => {
    const tail = samples.flatMap(({ at, values: { [name]: value } }) =>
      value === undefined ? [] : [[at, value, value, value] as Point],
    )
    const points = [...(stored.get(name)?.points ?? []), ...tail].filter(([at]) => at >= from)
    return {
      name,
      unit: stored.get(name)?.unit ?? metricUnit(name) ?? '',
      points: points.toSorted(([a], [b]) => a - b),
    }
  })
  return { ...metrics, range: { from, to }, series }
}

type Point = MachineMetrics['series'][number]['points'][number]
