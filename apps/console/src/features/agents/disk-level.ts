export type DiskLevel = 'ok' | 'warning' | 'negative'

/** Percent in use from which a disk shows a warning, and from which it is nearly full. */
const DISK_WARNING_PERCENT = 80
const DISK_NEGATIVE_PERCENT = 95

export function diskLevel(percent: number): DiskLevel {
  if (percent >= DISK_NEGATIVE_PERCENT) return 'negative'
  return percent >= DISK_WARNING_PERCENT ? 'warning' : 'ok'
}
