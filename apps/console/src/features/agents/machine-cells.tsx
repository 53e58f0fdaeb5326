import type { AgentRow } from '@muster/contract/api/agents'
import { toPresence } from '@muster/rules/agents/agent-status'
import { compareAgentVersions } from '@muster/rules/agents/agent-version'
import { summarizeChecks } from '@muster/rules/checks/check-freshness'
import { platformName } from '@muster/rules/agents/available-actions'
import { formatRelativeTime, formatShortAge } from '@muster/rules/text/units'
import {
  type Icon,
  IconAlertTriangle,
  IconArrowUp,
  IconBell,
  IconBrandApple,
  IconBrandDebian,
  IconBrandWindows,
  IconChecks,
  IconClock,
  IconDeviceDesktop,
  IconMail,
  IconMessage,
  IconPower,
  IconServer2,
  IconShieldDown,
  IconTool,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { type DotState, StatusDot } from '../../ui/layout/StatusDot.tsx'
import classes from './machine-cells.module.css'
import type { EqualNames } from './equal-names.ts'
import { OVERDUE_ALERTS, isNotified } from './overdue-alerts.ts'
import type { MachineMetrics } from './sort-machines.ts'

/** Cell data besides the row itself. */
export interface MachineContext {
  nowMs: number
  formatDate: (instant: string | number) => string
  /** The version of the agent that the server offers; null = none. */
  offered: string | null
  equalNames: EqualNames
  metrics: MachineMetrics
}

/** The name, with a mark in a second line if other machines have the same one. */
export function HostnameCell({ row, context }: { row: AgentRow; context: MachineContext }) {
  const mark = context.equalNames.get(row.agent_id)
  if (mark === undefined) return <span className="strong">{row.hostname}</span>
  return (
    <span className={classes.named} data-tip={`${row.hostname}\nAnother machine has the same name.`}>
      <span className="strong">{row.hostname}</span> <span className="dim">{mark}</span>
    </span>
  )
}

/** Shape and text of a machine's status, or that it is in maintenance. */
export function MachineStatus({ row }: { row: Pick<AgentRow, 'status' | 'connected' | 'maintenance_mode'> }) {
  const presence = toPresence(row.status, row.connected)
  const state: DotState = row.maintenance_mode && presence === 'online' ? 'maintenance' : presence
  return (
    <span className={classes.status}>
      <StatusDot state={state} />
      {row.maintenance_mode && state !== 'maintenance' && (
        <IconCell icon={IconTool} label="Maintenance mode" tone="maintenance" />
      )}
    </span>
  )
}

const PLATFORM_ICONS = { windows: IconBrandWindows, linux: IconBrandDebian, darwin: IconBrandApple }

export function PlatformIcon({ row }: { row: Pick<AgentRow, 'plat' | 'operating_system'> }) {
  const name = platformName(row.plat)
  const label = row.operating_system === '' ? name : `${name}\n${row.operating_system}`
  return <IconCell icon={PLATFORM_ICONS[row.plat]} label={label} />
}

export function TypeIcon({ type }: { type: AgentRow['monitoring_type'] }) {
  return type === 'server' ? (
    <IconCell icon={IconServer2} label="Server" />
  ) : (
    <IconCell icon={IconDeviceDesktop} label="Workstation" />
  )
}

/** Failing of all, or all passing; "muted" in maintenance, where alerts are suppressed. Green means fresh results. */
export function ChecksCell({ row, context }: { row: AgentRow; context: MachineContext }) {
  const { checks, maintenance_mode } = row
  if (maintenance_mode) return <span className="dim">muted</span>
  const summary = summarizeChecks(checks)
  switch (summary) {
    case 'none':
      return <None label="No checks" />
    case 'failing':
    case 'warning': {
      const many = checks[summary]
      const tone = summary === 'failing' ? 'negative' : 'warning'
      const label = `${many} of ${checks.total} checks ${summary}`
      return (
        <Chip icon={IconAlertTriangle} tone={tone} label={label}>
          {many} / {checks.total}
        </Chip>
      )
    }
    case 'old':
      return <OldChecks checks={checks} context={context} />
    case 'no_results':
      return checks.pending === checks.total ? (
        <Unknown label={`No results of ${checks.total} ${checks.total === 1 ? 'check' : 'checks'} yet`}>
          No results
        </Unknown>
      ) : (
        <Unknown label={`${checks.pending} of ${checks.total} checks have no results yet`}>
          {checks.total - checks.pending} / {checks.total}
        </Unknown>
      )
    case 'passing':
      return (
        <span className={classes.passing} data-tip={`${checks.total} checks passing`}>
          <IconChecks size={16} stroke={1.75} aria-label="passing" />
          <span className="dim">{checks.total}</span>
        </span>
      )
  }
}

function OldChecks({ checks, context }: { checks: AgentRow['checks']; context: MachineContext }) {
  const { old, total, old_since } = checks
  if (old_since === null) return null
  const since = `since ${context.formatDate(old_since)}`
  return (
    <Unknown label={`${old} of ${total} ${total === 1 ? 'check' : 'checks'} without a new result ${since}`}>
      {formatShortAge(context.nowMs - Date.parse(old_since))} old
    </Unknown>
  )
}

/** Unknown state: grey text. */
function Unknown({ label, children }: { label: string; children: ReactNode }) {
  return (
    <span className={classes.unknown} data-tip={label}>
      <span aria-hidden>{children}</span>
      <span className="read-only-aloud">{label}</span>
    </span>
  )
}

export function UserCell({ row: { logged_username: user, italic } }: { row: AgentRow }) {
  if (user === '') return <None label="No user signed in" />
  if (!italic) return user
  return (
    <em className="dim" data-tip="Last user. No user signed in now.">
      {user}
    </em>
  )
}

export function PatchesIcon({ row }: { row: AgentRow }) {
  if (!row.has_patches_pending) return null
  return <IconCell icon={IconShieldDown} label="Patches pending" tone="warning" />
}

export function PendingChip({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <Chip icon={IconClock} tone="warning" label={`${count} pending ${count === 1 ? 'action' : 'actions'}`}>
      {count}
    </Chip>
  )
}

export function RebootIcon({ row }: { row: AgentRow }) {
  return row.needs_reboot ? <IconCell icon={IconPower} label="Reboot needed" tone="negative" /> : null
}

/** Notifications when the machine is overdue. */
export function OverdueCell({ row }: { row: AgentRow }) {
  const active = OVERDUE_ALERTS.filter((alert) => isNotified(alert, row))
  if (active.length === 0) return <None label="No alerting" />
  return (
    <span className={classes.icons}>
      {active.map(({ field, label }) => (
        <IconCell key={field} icon={OVERDUE_ICONS[field]} label={`When overdue: ${label}`} />
      ))}
    </span>
  )
}

const OVERDUE_ICONS = {
  overdue_dashboard_alert: IconBell,
  overdue_email_alert: IconMail,
  overdue_text_alert: IconMessage,
}

/** The version of the agent; an outdated one is marked. */
export function VersionCell({
  row: { version },
  context: { offered },
}: {
  row: AgentRow
  context: MachineContext
}) {
  if (version === '') return <None label="Unknown" />
  if (offered === null || compareAgentVersions(version, offered) >= 0)
    return <span className="dim">{version}</span>
  return (
    <Chip icon={IconArrowUp} tone="warning" label={`${version}, outdated. This server offers ${offered}.`}>
      {version}
    </Chip>
  )
}

export function LastResponse({ row, context }: { row: AgentRow; context: MachineContext }) {
  if (row.connected) return <span className="dim">just now</span>
  if (row.last_seen === null) return <span className="dim">never</span>
  return <Ago instant={row.last_seen} context={context} />
}

export function BootTime({ row, context }: { row: AgentRow; context: MachineContext }) {
  if (row.boot_time === null) return <None label="Unknown" />
  return <Ago instant={row.boot_time} context={context} />
}

function Ago({ instant, context }: { instant: string | number; context: MachineContext }) {
  return (
    <span className="dim" data-tip={context.formatDate(instant)}>
      {formatRelativeTime(instant, context.nowMs)}
    </span>
  )
}

type Tone = 'negative' | 'warning' | 'maintenance'

function IconCell({ icon: CellIcon, label, tone }: { icon: Icon; label: string; tone?: Tone }) {
  return (
    <span role="img" aria-label={label} data-tip={label} className={classes.icon} data-tone={tone}>
      <CellIcon size={16} stroke={1.75} aria-hidden />
    </span>
  )
}

function Chip(props: { icon: Icon; tone: Tone; label: string; children: ReactNode }) {
  const { icon: ChipIcon, tone, label, children } = props
  return (
    <span className={classes.chip} data-tone={tone} data-tip={label}>
      <ChipIcon size={14} stroke={1.75} aria-hidden />
      <span aria-hidden>{children}</span>
      <span className="read-only-aloud">{label}</span>
    </span>
  )
}

function None({ label }: { label: string }) {
  return (
    <span className="dim">
      <span aria-hidden>–</span>
      <span className="read-only-aloud">{label}</span>
    </span>
  )
}
