import {
  FLEET_PARTS,
  type FleetCounts,
  type FleetPart,
  PART_SEARCHES,
} from '@muster/rules/agents/fleet-parts'
import {
  type Icon,
  IconAlertTriangle,
  IconAlertTriangleFilled,
  IconChecks,
  IconCircle,
  IconCircleDashed,
  IconSquareRotatedFilled,
  IconTool,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import classes from './FleetBar.module.css'
import { toMachines } from './overview-links.ts'

interface FleetBarProps {
  counts: FleetCounts
  client: number | undefined
}

/** The machines as a bar, worst first; each part opens its machines. */
export function FleetBar({ counts, client }: FleetBarProps) {
  return (
    <div className={classes.bar}>
      {shownParts(counts).map((part) => (
        <Link
          key={part}
          {...toMachines(PART_SEARCHES[part], client)}
          className={classes.part}
          data-part={part}
          // A single failing machine of many is still visible.
          style={{ flexGrow: counts[part] }}
          aria-label={describePart(part, counts[part])}
          title={describePart(part, counts[part])}
        />
      ))}
    </div>
  )
}

/** A bar beside its numbers, which are the links: its parts are too small to be hit. */
export function SmallFleetBar({ counts }: Pick<FleetBarProps, 'counts'>) {
  return (
    <div className={classes.bar} data-small aria-hidden>
      {shownParts(counts).map((part) => (
        <span key={part} className={classes.part} data-part={part} style={{ flexGrow: counts[part] }} />
      ))}
    </div>
  )
}

/** The parts of the bar by name, with their numbers. */
export function FleetLegend({ counts, client }: FleetBarProps) {
  return (
    <ul className={classes.legend} aria-label="Machines by state">
      {shownParts(counts).map((part) => (
        <li key={part}>
          <Link {...toMachines(PART_SEARCHES[part], client)} className={classes.legendEntry}>
            <PartMark part={part} />
            <span className={classes.count}>{counts[part].toLocaleString('en')}</span> {LABELS[part]}
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** The shape of a part; its word stands beside it. */
export function PartMark({ part }: { part: FleetPart }) {
  const PartIcon = ICONS[part]
  return <PartIcon size={16} stroke={1.75} aria-hidden className={classes.mark} data-part={part} />
}

/** `6 machines overdue` */
export function describePart(part: FleetPart, count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'machine' : 'machines'} ${LABELS[part]}`
}

const shownParts = (counts: FleetCounts) => FLEET_PARTS.filter((part) => counts[part] > 0)

const LABELS: Record<FleetPart, string> = {
  overdue: 'overdue',
  failing: 'failing',
  warning: 'warning',
  offline: 'offline',
  maintenance: 'in maintenance',
  unchecked: 'not checked',
  healthy: 'healthy',
}

const ICONS: Record<FleetPart, Icon> = {
  overdue: IconSquareRotatedFilled,
  failing: IconAlertTriangleFilled,
  warning: IconAlertTriangle,
  offline: IconCircle,
  maintenance: IconTool,
  unchecked: IconCircleDashed,
  healthy: IconChecks,
}
