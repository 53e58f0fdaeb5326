import type { NodeColor } from '@muster/rules/search/tree-order'
import {
  IconAlertCircle,
  IconAlertTriangle,
  IconBuilding,
  IconBuildingCommunity,
  IconHome,
  IconTool,
} from '@tabler/icons-react'
import classes from './ClientTree.module.css'
import { type NodeLine, describeColor, describeLine, describePartialMaintenance } from './tree-lines.ts'

const ICONS = { All: IconHome, Client: IconBuilding, Site: IconBuildingCommunity }
const MARKS = { maintenance: IconTool, negative: IconAlertTriangle, warning: IconAlertCircle }

interface TreeLineContentProps {
  line: NodeLine
  /** Until when it is in maintenance, and why, where that is known. */
  maintenance?: string | undefined
}

/** Icon, name, state and number of machines. */
export function TreeLineContent({ line, maintenance }: TreeLineContentProps) {
  const LineIcon = ICONS[line.kind]
  const partial = describePartialMaintenance(line)
  return (
    <span className={classes.content} data-color={line.color} data-tip={describeLine(line, maintenance)}>
      <LineIcon size={16} stroke={1.75} aria-hidden className={classes.icon} />
      <span className={classes.label}>{line.label}</span>{' '}
      <span className={classes.count} data-line-end>
        {line.count}
      </span>
      {partial !== undefined && (
        <>
          <IconTool size={12} stroke={1.75} aria-hidden className={classes.partial} />{' '}
          <span className={classes.hidden}>{partial}</span>
        </>
      )}
      {line.color !== undefined && <Mark color={line.color} />}
    </span>
  )
}

/** Seen before the number, and read after it. */
function Mark({ color }: { color: NodeColor }) {
  const Icon = MARKS[color]
  return (
    <>
      <Icon size={14} stroke={1.75} aria-hidden className={classes.mark} />{' '}
      <span className={classes.hidden}>{describeColor(color)}</span>
    </>
  )
}
