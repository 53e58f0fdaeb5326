import type { AuditAction } from '@muster/contract/api/audit'
import {
  type Icon,
  IconAlertTriangle,
  IconCirclePlus,
  IconDownload,
  IconEye,
  IconFileCode,
  IconLogin2,
  IconLogout2,
  IconPencil,
  IconStack2,
  IconTerminal2,
  IconTrash,
} from '@tabler/icons-react'
import classes from './ActionBadge.module.css'
import { ACTION_LABELS } from './audit-words.ts'

type Tone = 'positive' | 'warning' | 'negative' | 'info' | 'dim'

const LOOK: Record<AuditAction, { icon: Icon; tone: Tone }> = {
  login: { icon: IconLogin2, tone: 'dim' },
  failed_login: { icon: IconAlertTriangle, tone: 'negative' },
  logout: { icon: IconLogout2, tone: 'dim' },
  add: { icon: IconCirclePlus, tone: 'positive' },
  modify: { icon: IconPencil, tone: 'warning' },
  delete: { icon: IconTrash, tone: 'negative' },
  view: { icon: IconEye, tone: 'dim' },
  agent_install: { icon: IconDownload, tone: 'positive' },
  execute_script: { icon: IconFileCode, tone: 'info' },
  task_run: { icon: IconFileCode, tone: 'info' },
  execute_command: { icon: IconTerminal2, tone: 'info' },
  bulk_action: { icon: IconStack2, tone: 'info' },
  remote_session: { icon: IconTerminal2, tone: 'warning' },
}

/** The action, as shape and text. */
export function ActionBadge({ action }: { action: AuditAction }) {
  const { icon: ActionIcon, tone } = LOOK[action]
  return (
    <span className={classes.badge} data-tone={tone}>
      <ActionIcon size={14} stroke={1.75} aria-hidden className={classes.icon} />
      {ACTION_LABELS[action]}
    </span>
  )
}
