import { Button, Checkbox } from '@mantine/core'
import type { Alert, AlertCause } from '@muster/contract/api/alerts'
import { formatShortAge } from '@muster/rules/text/units'
import { IconCheck, IconChevronDown, IconChevronUp, IconZzz } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { KeyboardEvent } from 'react'
import { SkeletonRows } from '../../ui/layout/States.tsx'
import { useNow } from '../../ui/layout/use-now.ts'
import type { KeptOrder } from '../../ui/table/use-kept-order.ts'
import { alertName } from './alert-labels.ts'
import { AlertPanel, type PanelProps } from './AlertPanel.tsx'
import type { CausesRequest } from './alert-view.ts'
import { CauseMark, CauseNotice, describeClients } from './CauseMarks.tsx'
import classes from './Causes.module.css'
import { SEVERITY_TONES } from './SeverityMark.tsx'
import { type AlertActions, fits, useChangeAlerts } from './use-alert-actions.tsx'
import type { ChosenAlert } from './use-chosen-alert.ts'

const TICK_MS = 10_000

interface CauseListProps {
  causes: readonly AlertCause[]
  /** Learns when the user reads the list. */
  reading: KeptOrder<AlertCause>['reading']
  chosen: ChosenAlert
  request: CausesRequest
  actions: AlertActions
  checked: ReadonlySet<number>
  onCheck: (checked: ReadonlySet<number>) => void
  /** The chosen alert, where it is shown in the list. */
  panel: PanelProps | undefined
}

/** The causes, worst first. One is open and lists its machines. Arrow keys move through both. */
export function CauseList(props: CauseListProps) {
  const { causes, chosen, reading } = props
  const nowMs = useNow(TICK_MS)
  return (
    <ul
      aria-label="Causes"
      className={classes.causes}
      onKeyDown={(event) => moveByKey(event, chosen)}
      {...reading}
    >
      {causes.map((cause) => (
        <li key={cause.key} data-open={cause.key === chosen.openKey || undefined}>
          <CauseRow cause={cause} chosen={chosen} nowMs={nowMs} />
          {cause.key === chosen.openKey && <Group {...props} cause={cause} nowMs={nowMs} />}
        </li>
      ))}
    </ul>
  )
}

interface CauseRowProps {
  cause: AlertCause
  chosen: ChosenAlert
  nowMs: number
}

function CauseRow({ cause, chosen: { openKey, openGroup, closeGroup }, nowMs }: CauseRowProps) {
  const { key, name, alerts, machines, newest } = cause
  const isOpen = key === openKey
  const Chevron = isOpen ? IconChevronUp : IconChevronDown
  const unit = machines === 0 ? 'alert' : 'machine'
  const count = machines === 0 ? alerts : machines
  return (
    <button
      type="button"
      className={classes.cause}
      data-row=""
      aria-expanded={isOpen}
      onClick={() => (isOpen ? closeGroup() : openGroup(key))}
    >
      <span className={classes.mark}>
        <CauseMark cause={cause} />
      </span>
      <bdi className={classes.name} title={name}>
        {name}
      </bdi>
      <bdi className={classes.where}>{describeClients(cause)}</bdi>
      <span className={classes.many}>
        <span>
          <b>{count.toLocaleString('en')}</b>
          <span className={classes.unit}>
            {' '}
            {count === 1 ? unit : `${unit}s`}
            <span className={classes.comma}>, </span>
          </span>
        </span>
        <time dateTime={newest} className={classes.age}>
          {formatShortAge(Math.max(0, nowMs - Date.parse(newest)))}
        </time>
      </span>
      <span className={classes.notice}>
        <CauseNotice cause={cause} nowMs={nowMs} />
      </span>
      <Chevron size={16} stroke={1.75} aria-hidden className={classes.chevron} />
    </button>
  )
}

/** The machines of the open cause, with the actions on all or the checked ones. */
function Group({
  cause,
  chosen,
  request,
  actions,
  checked,
  onCheck,
  panel,
  nowMs,
}: CauseListProps & { cause: AlertCause; nowMs: number }) {
  const { rows, isLoaded, more, showMore, chosenId } = chosen
  if (!isLoaded) return <SkeletonRows rows={Math.min(4, cause.alerts)} height={34} />
  const toggle = (id: number) => {
    const next = new Set(checked)
    if (!next.delete(id)) next.add(id)
    onCheck(next)
  }
  return (
    <div className={classes.group}>
      <ul aria-label={`Alerts of ${cause.name}`} className="plain-list">
        {rows.map((alert) =>
          panel !== undefined && alert.id === chosenId ? (
            <li key={alert.id}>
              <AlertPanel {...panel} />
            </li>
          ) : (
            <AlertRow
              key={alert.id}
              alert={alert}
              cause={cause}
              isChosen={alert.id === chosenId}
              isChecked={checked.has(alert.id)}
              onCheck={actions.mayManage ? () => toggle(alert.id) : undefined}
              onChoose={() => chosen.choose(alert.id)}
              nowMs={nowMs}
            />
          ),
        )}
      </ul>
      {more > 0 && (
        <p className={classes.rest}>
          {more.toLocaleString('en')} more
          {showMore !== undefined && (
            <Button variant="subtle" onClick={showMore}>
              Show more
            </Button>
          )}
        </p>
      )}
      {actions.mayManage && cause.alerts > 1 && (
        <GroupActions
          cause={cause}
          request={request}
          ask={actions.ask}
          checked={rows.filter(({ id }) => checked.has(id))}
          onDone={() => onCheck(new Set())}
        />
      )}
    </div>
  )
}

interface GroupActionsProps {
  cause: AlertCause
  request: CausesRequest
  ask: AlertActions['ask']
  checked: readonly Alert[]
  onDone: () => void
}

/** On the checked alerts, or on all of the cause, in one request. */
function GroupActions({ cause, request, ask, checked, onDone }: GroupActionsProps) {
  const change = useChangeAlerts()
  const group = checked.length > 0 ? undefined : { cause, filter: request }
  const which = checked.length > 0 ? `${checked.length} checked` : `all ${cause.alerts}`
  const canAcknowledge =
    checked.length > 0
      ? checked.some((alert) => fits('acknowledge', alert))
      : cause.acknowledged < cause.alerts
  return (
    <div className={classes.actions} role="group" aria-label={`Actions on ${which}`}>
      <Button
        variant="subtle"
        disabled={!canAcknowledge}
        loading={change.isPending}
        onClick={() =>
          change.mutate({ action: 'acknowledge', alerts: checked, group }, { onSuccess: onDone })
        }
      >
        Acknowledge {which}
      </Button>
      <Button variant="subtle" onClick={() => ask('snooze', checked, group)}>
        Snooze {which} …
      </Button>
      <Button variant="subtle" onClick={() => ask('resolve', checked, group)}>
        Resolve {which} …
      </Button>
    </div>
  )
}

interface AlertRowProps {
  alert: Alert
  cause: AlertCause
  isChosen: boolean
  isChecked: boolean
  /** Undefined where alerts have no actions. */
  onCheck: (() => void) | undefined
  onChoose: () => void
  nowMs: number
}

function AlertRow({ alert, cause, isChosen, isChecked, onCheck, onChoose, nowMs }: AlertRowProps) {
  const { agent_id, hostname, client, site, alert_time } = alert
  const navigate = useNavigate()
  const place = [client, site].filter((part) => part !== '').join(' / ')
  return (
    <li className={classes.machine} data-chosen={isChosen || undefined}>
      {onCheck !== undefined && (
        <Checkbox
          size="xs"
          aria-label={`Select ${hostname || alertName(alert)}`}
          checked={isChecked}
          onChange={onCheck}
        />
      )}
      <button
        type="button"
        data-row=""
        data-alert={alert.id}
        className={classes.open}
        aria-current={isChosen || undefined}
        onClick={onChoose}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || agent_id === null || event.ctrlKey || event.metaKey) return
          event.preventDefault()
          void navigate({ to: '/agents/$agent_id', params: { agent_id } })
        }}
      >
        <bdi className={classes.hostname}>{hostname || place || 'No machine'}</bdi>
        <bdi className={classes.place}>{hostname === '' ? '' : place}</bdi>
        <bdi className={classes.value} data-tone={SEVERITY_TONES[alert.severity]}>
          {valueOf(alert, cause)}
        </bdi>
        <span className={classes.state}>
          <StateShape alert={alert} />
        </span>
        <time dateTime={alert_time} className={classes.since}>
          {formatShortAge(Math.max(0, nowMs - Date.parse(alert_time)))}
        </time>
      </button>
    </li>
  )
}

function StateShape({ alert: { state, acknowledged_by: user } }: { alert: Alert }) {
  if (state === 'acknowledged') {
    return (
      <>
        <IconCheck size={16} stroke={1.75} aria-hidden className={classes.acknowledged} />
        <span className="read-only-aloud">Acknowledged {user === '' ? '' : `by ${user}`}</span>
      </>
    )
  }
  if (state !== 'snoozed') return null
  return (
    <>
      <IconZzz size={16} stroke={1.75} aria-hidden className="dim-icon" />
      <span className="read-only-aloud">Snoozed</span>
    </>
  )
}

/** The message without what the group says: `1 GB of 20 GB free (5 %)`. */
function valueOf({ message }: Alert, { name }: AlertCause): string {
  const start = `${name}: `
  const text = message.startsWith(start) ? message.slice(start.length) : message === name ? '' : message
  return text.split('\n')[0] ?? ''
}

/** Up and Down move through causes and their machines, and choose a machine. Right opens a cause, Left closes it. */
function moveByKey(event: KeyboardEvent<HTMLElement>, { openKey, choose }: ChosenAlert): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row]')]
  const at = rows.findIndex((row) => row === document.activeElement)
  const row = rows[at]
  if (row === undefined) return
  const isCause = row.hasAttribute('aria-expanded')
  const isOpen = row.getAttribute('aria-expanded') === 'true'
  if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
    const shouldToggle = isCause && isOpen === (event.key === 'ArrowLeft')
    if (shouldToggle) row.click()
    else if (!isCause && event.key === 'ArrowLeft' && openKey !== undefined)
      rows.findLast((one, index) => index < at && one.hasAttribute('aria-expanded'))?.focus()
    event.preventDefault()
    return
  }
  const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }
  const to = steps[event.key]
  if (to === undefined) return
  event.preventDefault()
  const next = rows[to]
  if (next === undefined) return
  next.focus()
  next.scrollIntoView({ block: 'nearest' })
  const id = Number(next.dataset['alert'])
  if (id > 0) choose(id)
}
