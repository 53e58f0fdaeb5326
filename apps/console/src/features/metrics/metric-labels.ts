import { DISK_METRIC, METRIC_UNITS, type MetricName } from '@muster/contract/agent/metrics'

const LABELS: Record<MetricName, string> = {
  cpu: 'Processor',
  memory: 'Memory',
  swap: 'Swap',
  load: 'Load',
  disk_read: 'Disk read',
  disk_write: 'Disk write',
  net_in: 'Network in',
  net_out: 'Network out',
  uptime: 'Uptime',
}
const ORDER = Object.keys(METRIC_UNITS)

export function metricLabel(name: string): string {
  if (name.startsWith(DISK_METRIC)) return `Disk ${name.slice(DISK_METRIC.length)} in use`
  return Object.entries(LABELS).find(([known]) => known === name)?.[1] ?? name
}

/** Display order: the machine's own metrics first, then its disks by name. */
export function sortMetrics<Series extends { name: string }>(all: readonly Series[]): Series[] {
  const place = ({ name }: Series) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length)
  return all.toSorted((a, b) => place(a) - place(b) || a.name.localeCompare(b.name))
}
