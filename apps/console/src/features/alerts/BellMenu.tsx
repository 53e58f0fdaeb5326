import '@mantine/core/styles/Switch.css'
import { ActionIcon, Switch, Tooltip } from '@mantine/core'
import type { Alert } from '@muster/contract/api/alerts'
import { formatRelativeTime } from '@muster/rules/text/units'
import {
  type Icon,
  IconAlertTriangle,
  IconBellPause,
  IconCircleCheck,
  IconUserCheck,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, useTransition } from 'react'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { useNow } from '../../ui/layout/use-now.ts'
import classes from './BellMenu.module.css'
import { SeverityMark } from './SeverityMark.tsx'
import { describeCalm, OverdueActions, useOverdue } from './Overdue.tsx'
import { alertName, locationOf } from './alert-labels.ts'
import { TOP, topAlertsQuery } from './alerts-query.ts'
import { useChangeAlerts } from './use-alert-actions.tsx'
import {
  findRefusal,
  type NoticesMode,
  type NoticesRefusal,
  switchOffNotices,
  switchOnNotices,
  useNoticesMode,
} from './browser-notices.ts'

const TICK_MS = 10_000

interface BellMenuProps {
  onSnooze: (alert: Alert) => void
  /** Another page or dialog was opened. */
  onLeave: () => void
}

/** The ten worst and newest alerts, each with its actions. */
export function BellMenu({ onSnooze, onLeave }: BellMenuProps) {
  const { data, error, refetch } = useQuery({ ...topAlertsQuery, meta: { quiet: true } })
  const mayManage = useMay('can_manage_alerts')
  const nowMs = useNow(TICK_MS)
  const overdue = useOverdue()
  return (
    <>
      <div className={classes.head}>
        <h2 className="page-title">Alerts</h2>
        <NoticesSwitch />
      </div>
      {data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={3} />
      ) : data.alerts.length === 0 ? (
        <div className={classes.calm}>
          {overdue.overdue > 0 ? (
            <IconAlertTriangle size={16} stroke={1.75} aria-hidden className={classes.warningIcon} />
          ) : (
            <IconCircleCheck size={16} stroke={1.75} aria-hidden className={classes.calmIcon} />
          )}
          <span>{describeCalm(overdue)}</span>
          <OverdueActions compact onLeave={onLeave} />
        </div>
      ) : (
        <ul className={classes.list}>
          {data.alerts.slice(0, TOP).map((alert) => (
            <BellRow
              key={alert.id}
              alert={alert}
              nowMs={nowMs}
              mayManage={mayManage}
              onSnooze={() => onSnooze(alert)}
              onLeave={onLeave}
            />
          ))}
        </ul>
      )}
    </>
  )
}

interface BellRowProps {
  alert: Alert
  nowMs: number
  mayManage: boolean
  onSnooze: () => void
  onLeave: () => void
}

function BellRow({ alert, nowMs, mayManage, onSnooze, onLeave }: BellRowProps) {
  const { open } = useDialog()
  const change = useChangeAlerts()
  const place = locationOf(alert)
  const name = alertName(alert)
  return (
    <li className={classes.row}>
      <SeverityMark severity={alert.severity} shapeOnly />
      <div className={classes.text}>
        <div className={classes.line}>
          {alert.agent_id === null ? (
            <bdi className={classes.place}>{place ?? 'Created manually'}</bdi>
          ) : (
            <Link
              to="/agents/$agent_id"
              params={{ agent_id: alert.agent_id }}
              search={{ pane: 'alerts' }}
              className={classes.place}
              onClick={onLeave}
            >
              <bdi>{place}</bdi>
            </Link>
          )}
          <time dateTime={alert.alert_time} className={classes.age}>
            {formatRelativeTime(alert.alert_time, Math.max(nowMs, Date.parse(alert.alert_time)))}
          </time>
        </div>
        <div className={classes.line}>
          <button
            type="button"
            className={classes.message}
            dir="auto"
            onClick={() => {
              onLeave()
              open('alert', alert.id)
            }}
          >
            {alert.message}
          </button>
          {mayManage && (
            <span className={classes.actions}>
              <RowAction
                label={`Acknowledge ${name}`}
                tip="Acknowledge"
                icon={IconUserCheck}
                onClick={() => change.mutate({ action: 'acknowledge', alerts: [alert] })}
              />
              <RowAction label={`Snooze ${name}`} tip="Snooze" icon={IconBellPause} onClick={onSnooze} />
              <RowAction
                label={`Resolve ${name}`}
                tip="Resolve"
                icon={IconCircleCheck}
                onClick={() => change.mutate({ action: 'resolve', alerts: [alert] })}
              />
            </span>
          )}
        </div>
      </div>
    </li>
  )
}

interface RowActionProps {
  label: string
  tip: string
  icon: Icon
  onClick: () => void
}

function RowAction({ label, tip, icon: ActionSign, onClick }: RowActionProps) {
  return (
    <Tooltip label={tip} withinPortal={false}>
      <ActionIcon size={24} aria-label={label} onClick={onClick}>
        <ActionSign size={16} stroke={1.75} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}

const REFUSAL_TEXTS: Record<NoticesRefusal, string> = {
  missing: 'This browser shows no notifications. On an iPhone, add Muster to the Home Screen first.',
  insecure: 'Notifications need https:// or localhost.',
  denied: 'Notifications are blocked. Allow them for this site in the browser settings.',
}
const MODE_TEXTS: Record<NoticesMode, string | undefined> = {
  off: undefined,
  page: 'Notifications appear while Muster is open in another tab or window.',
  push: 'Notifications also appear while Muster is closed.',
}

/** Whether this browser notifies about new alerts, and when. */
function NoticesSwitch() {
  const mode = useNoticesMode()
  const [pending, startSwitch] = useTransition()
  const [refusal, setRefusal] = useState(findRefusal)
  return (
    <>
      <Switch
        size="xs"
        labelPosition="left"
        label="Notify me in this browser"
        checked={mode !== 'off'}
        disabled={pending || refusal === 'missing' || refusal === 'insecure'}
        onChange={(event) => {
          const { checked } = event.currentTarget
          startSwitch(async () => {
            if (checked) setRefusal(await switchOnNotices())
            else await switchOffNotices()
          })
        }}
      />
      <p className={classes.notices} role="status">
        {refusal === undefined ? MODE_TEXTS[mode] : REFUSAL_TEXTS[refusal]}
      </p>
    </>
  )
}
