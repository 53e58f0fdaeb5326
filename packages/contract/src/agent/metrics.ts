import { z } from 'zod'
import { Instant } from '../fields.ts'

/**
 * What every machine measures of itself beside its checks, and the unit of each. `disk:/mount` is how full a disk is;
 * the rates are those of all disks and of all network interfaces together.
 */
export const METRIC_UNITS = {
  cpu: '%',
  memory: '%',
  swap: '%',
  load: '',
  disk_read: 'B/s',
  disk_write: 'B/s',
  net_in: 'B/s',
  net_out: 'B/s',
  uptime: 's',
} as const
export type MetricName = keyof typeof METRIC_UNITS
export const DISK_METRIC = 'disk:'

/** Of a metric by its name; undefined for a name that is not ours. */
export function metricUnit(name: string): string | undefined {
  if (name.startsWith(DISK_METRIC)) return '%'
  return Object.entries(METRIC_UNITS).find(([known]) => known === name)?.[1]
}

/** Seconds from one look of a machine at itself to the next. */
export const MetricsInterval = z.int().min(10).max(3600)
export const DEFAULT_METRICS_INTERVAL = 60

/** As many disks as are kept of one machine. */
export const MOST_METRICS = 40

export const MetricsSample = z.object({
  at: Instant,
  /** Values of METRIC_UNITS and of `disk:/mount`; what the system does not tell is absent. */
  values: z
    .record(z.string().min(1).max(255), z.number())
    .refine((values) => Object.keys(values).length <= MOST_METRICS, 'Too many values.'),
})
export type MetricsSample = z.infer<typeof MetricsSample>
