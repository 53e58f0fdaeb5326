import type { TimelineEntry, TimelineKind } from '@muster/contract/api/timeline'
import {
  type Icon,
  IconBell,
  IconCalendarEvent,
  IconChecklist,
  IconDatabaseOff,
  IconDeviceDesktopCog,
  IconPencil,
  IconPower,
  IconScreenShare,
  IconTerminal2,
  IconTool,
} from '@tabler/icons-react'
import { formatDuration } from '@muster/rules/text/duration'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import { SeverityMark } from '../alerts/SeverityMark.tsx'
import classes from './Timeline.module.css'

export interface TimelineContext {
  format: (seconds: number) => string
}
type Column = DataColumn<TimelineEntry, TimelineContext>

export const KINDS: Record<TimelineKind, { label: string; icon: Icon }> = {
  check: { label: 'Check failed', icon: IconChecklist },
  alert: { label: 'Alert', icon: IconBell },
  run: { label: 'Run', icon: IconTerminal2 },
  task: { label: 'Task', icon: IconCalendarEvent },
  maintenance: { label: 'Maintenance', icon: IconTool },
  remote: { label: 'Remote tool', icon: IconScreenShare },
  dropped: { label: 'Results dropped', icon: IconDatabaseOff },
  reboot: { label: 'System started', icon: IconPower },
  system: { label: 'System changed', icon: IconDeviceDesktopCog },
  change: { label: 'Change', icon: IconPencil },
}

export const TIMELINE_COLUMNS: readonly Column[] = [
  { id: 'from', title: 'Time', width: '172px', render: ({ from }, { format }) => format(from) },
  { id: 'kind', title: 'What', width: '148px', render: (entry) => <Kind entry={entry} /> },
  { id: 'text', title: 'Details', width: 'minmax(160px, 3fr)', render: ({ text }) => <bdi>{text}</bdi> },
  { id: 'severity', title: 'Severity', width: '110px', render: ({ severity }) => severity && <SeverityMark severity={severity} /> },
  { id: 'lasting', title: 'Lasting', width: '110px', render: describeLength },
  { id: 'by', title: 'By', width: '120px', render: ({ by }) => <bdi>{by || '–'}</bdi> },
] // prettier-ignore
export const TIMELINE_PX = 860

export const TIMELINE_CARD: DataCard<TimelineEntry, TimelineContext> = {
  height: 64,
  render: (entry, { format }) => (
    <div className={classes.card}>
      <span className={classes.line}>
        <Kind entry={entry} />
        <span className={classes.dim}>{format(entry.from)}</span>
      </span>
      <bdi className={classes.text}>{entry.text}</bdi>
    </div>
  ),
}

function Kind({ entry: { kind } }: { entry: TimelineEntry }) {
  const { label, icon: KindIcon } = KINDS[kind]
  return (
    <span className={classes.kind}>
      <KindIcon size={16} stroke={1.75} aria-hidden />
      {label}
    </span>
  )
}

const MOMENTS: ReadonlySet<TimelineKind> = new Set(['change', 'reboot', 'system'])

function describeLength({ from, to, kind }: TimelineEntry): string {
  if (to === null) return 'still so'
  return MOMENTS.has(kind) ? '–' : formatDuration(to - from)
}
