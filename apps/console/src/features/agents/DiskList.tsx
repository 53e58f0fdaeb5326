import type { AgentFacts } from '@muster/contract/agent/facts'
import { formatFileSize } from '@muster/rules/text/units'
import { IconAlertTriangle } from '@tabler/icons-react'
import classes from './DiskList.module.css'

const LEVEL_LABELS = { ok: undefined, warning: 'filling up', negative: 'nearly full' }

/** Mounted disks with their free space. */
export function DiskList({ disks }: { disks: AgentFacts['disks'] }) {
  if (disks.length === 0) return <p className={classes.dim}>No disks reported.</p>
  return (
    <ul className={classes.list}>
      {disks.map((disk, index) => {
        const name = disk.mount || disk.device
        const level = diskLevel(disk.percent)
        const word = LEVEL_LABELS[level]
        return (
          <li key={index} data-level={level}>
            <div className={classes.line}>
              <span className={classes.name}>{name}</span>
              <span className={classes.dim}>{disk.fstype}</span>
              <span className={classes.free}>
                {word !== undefined && (
                  <span className={classes.word}>
                    <IconAlertTriangle size={14} stroke={1.75} aria-hidden /> {word}
                  </span>
                )}
                {formatFileSize(disk.free)} free of {formatFileSize(disk.total)}
              </span>
            </div>
            <div
              role="meter"
              aria-label={`${name} in use`}
              aria-valuemin={0}
              aria-valuemax={100}
              aria-valuenow={Math.round(disk.percent)}
              className={classes.bar}
            >
              <div style={{ width: `${Math.min(100, disk.percent)}%` }} />
            </div>
          </li>
        )
      })}
    </ul>
  )
}

type DiskLevel = 'ok' | 'warning' | 'negative'

/** Percent in use from which a disk shows a warning, and from which it is nearly full. */
const DISK_WARNING_PERCENT = 80
const DISK_NEGATIVE_PERCENT = 95

export function diskLevel(percent: number): DiskLevel {
  if (percent >= DISK_NEGATIVE_PERCENT) return 'negative'
  return percent >= DISK_WARNING_PERCENT ? 'warning' : 'ok'
}
