import { z } from 'zod'
import { Instant } from '../fields.ts'

/**
 * Metrics that every machine samples, with their units. `disk:/mount` is the use of a disk; rates are totals of all
 * disks and of all network interfaces.
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

/** The unit of a metric; undefined for an unknown name. */
export function metricUnit(name: string): string | undefined {
  if (name.startsWith(DISK_METRIC)) return '%'
  return Object.entries(METRIC_UNITS).find(([known]) => known === name)?.[1]
}

/** Seconds between two samples of a machine. */
export const MetricsInterval = z.int().min(10).max(3600)
export const DEFAULT_METRICS_INTERVAL = 60

/** The same limit as for stored disks of one machine. */
export const MAX_METRICS = 40

export const MetricsSample = z.object({
  at: Instant,
  /** Values of METRIC_UNITS and of `disk:/mount`; values that the system does not report are absent. */
  values: z
    .record(z.string().min(1).max(255), z.number())
    .refine((values) => Object.keys(values).length <= MAX_METRICS, 'Too many values.'),
})
export type MetricsSample = z.infer<typeof MetricsSample>
