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
  IconShieldCog,
  IconStack2,
  IconTerminal2,
  IconTool,
} from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { usePane } from '../agents/use-pane.ts'

export const EVENT_KINDS: Record<TimelineKind, { label: string; icon: Icon }> = {
  check: { label: 'Check failed', icon: IconChecklist },
  alert: { label: 'Alert', icon: IconBell },
  run: { label: 'Run', icon: IconTerminal2 },
  job: { label: 'Job', icon: IconStack2 },
  task: { label: 'Task', icon: IconCalendarEvent },
  maintenance: { label: 'Maintenance', icon: IconTool },
  remote: { label: 'Remote tool', icon: IconScreenShare },
  dropped: { label: 'Results dropped', icon: IconDatabaseOff },
  reboot: { label: 'System started', icon: IconPower },
  system: { label: 'System changed', icon: IconDeviceDesktopCog },
  change: { label: 'Change', icon: IconPencil },
  policy: { label: 'Policy saved', icon: IconShieldCog },
}

/** Link to the details of an entry; a system start has none. */
export function useOpenEntry() {
  const { open } = useDialog()
  const { setPane } = usePane()
  const navigate = useNavigate()
  return ({ kind, id }: TimelineEntry) => {
    if (id === null) return
    if (kind === 'check') open('check-history', id)
    if (kind === 'alert') open('alert', id)
    if (kind === 'task') open('task-runs', id)
    if (kind === 'run') setPane('history', `${id}`)
    if (kind === 'job') void navigate({ to: '/jobs/$job_id', params: { job_id: `${id}` } })
    if (kind === 'change') setPane('audit')
    if (kind === 'policy') void navigate({ to: '/policies/$policy_id', params: { policy_id: `${id}` } })
  }
}
