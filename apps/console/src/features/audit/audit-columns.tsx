import type { AuditAction, AuditEntry } from '@muster/contract/api/audit'
import {
  type Icon,
  IconAlertTriangle,
  IconCirclePlus,
  IconDownload,
  IconExternalLink,
  IconEye,
  IconFileCode,
  IconLogin2,
  IconLogout2,
  IconPencil,
  IconStack2,
  IconTerminal2,
  IconTrash,
} from '@tabler/icons-react'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import { ACTION_LABELS, OBJECT_LABELS } from './audit-labels.ts'
import classes from './ActionBadge.module.css'

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
  url_action: { icon: IconExternalLink, tone: 'info' },
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

export interface AuditContext {
  formatDate: (instant: string) => string
}

type AuditColumn = DataColumn<AuditEntry, AuditContext> & { text: (entry: AuditEntry) => string }

/** The user, and the API key of the user's program. */
export function userText({ username, api_key }: Pick<AuditEntry, 'username' | 'api_key'>): string {
  return api_key === null ? username : `${username} (API key ${api_key})`
}

const TIME: AuditColumn = {
  id: 'entry_time',
  title: 'Time',
  width: '176px',
  sortable: true,
  text: ({ entry_time }) => entry_time,
  render: ({ entry_time }, { formatDate }) => <span data-tip={entry_time}>{formatDate(entry_time)}</span>,
}
const USER: AuditColumn = {
  id: 'username',
  title: 'User',
  width: 'minmax(90px, 0.7fr)',
  sortable: true,
  text: userText,
  render: (entry) => <bdi>{userText(entry)}</bdi>,
}
const ACTION: AuditColumn = {
  id: 'action',
  title: 'Action',
  width: '140px',
  sortable: true,
  text: ({ action }) => action,
  render: ({ action }) => <ActionBadge action={action} />,
}
const OBJECT: AuditColumn = {
  id: 'object_type',
  title: 'Object',
  width: '96px',
  sortable: true,
  text: ({ object_type }) => object_type,
  render: ({ object_type }) => OBJECT_LABELS[object_type],
}
const MESSAGE: AuditColumn = {
  id: 'message',
  title: 'Message',
  width: 'minmax(200px, 3fr)',
  text: ({ message }) => message,
  render: ({ message }) => <bdi>{message}</bdi>,
}
const ADDRESS: AuditColumn = {
  id: 'ip_address',
  title: 'Address',
  width: 'minmax(110px, 0.6fr)',
  text: ({ ip_address }) => ip_address,
  render: ({ ip_address }) => <span className="mono dim">{ip_address}</span>,
}

function place(id: 'agent' | 'client' | 'site', title: string): AuditColumn {
  return {
    id,
    title,
    width: 'minmax(90px, 0.8fr)',
    text: (entry) => entry[id] ?? '',
    render: (entry) => <bdi>{entry[id] ?? ''}</bdi>,
  }
}

/** Columns of the whole log. */
export const AUDIT_COLUMNS: readonly AuditColumn[] = [
  TIME,
  USER,
  place('agent', 'Machine'),
  place('client', 'Client'),
  place('site', 'Site'),
  ACTION,
  OBJECT,
  MESSAGE,
  ADDRESS,
]

/** Columns of the log of one machine. */
export const AGENT_AUDIT_COLUMNS: readonly AuditColumn[] = [TIME, USER, ACTION, OBJECT, MESSAGE, ADDRESS]

/** Entries as cards; the log of one machine leaves its name out. */
function card(place: (entry: AuditEntry) => string): DataCard<AuditEntry, AuditContext> {
  return {
    height: 61,
    render: (entry, { formatDate }) => (
      <>
        <div className="cardLine">
          <span className="cut">
            <bdi>{entry.message}</bdi>
          </span>
          <ActionBadge action={entry.action} />
        </div>
        <div className="cardLine dim">
          <span className="cut">
            <bdi>{userText(entry)}</bdi>
            <bdi>{place(entry)}</bdi>
          </span>
          <span>{formatDate(entry.entry_time)}</span>
        </div>
      </>
    ),
  }
}

export const AUDIT_CARD = card(({ agent }) => (agent === null ? '' : ` · ${agent}`))
export const AGENT_AUDIT_CARD = card(() => '')

/** The visible rows, with machine-readable instants. */
export function auditTable(entries: readonly AuditEntry[], columns: readonly AuditColumn[]): string[][] {
  return [
    columns.map(({ title }) => title),
    ...entries.map((entry) => columns.map(({ text }) => text(entry))),
  ]
}
