import { Checkbox } from '@mantine/core'
import type { Alert } from '@muster/contract/api/alerts'
import { formatDuration } from '@muster/rules/text/units'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import classes from './AlertList.module.css'
import { SeverityMark } from './SeverityMark.tsx'
import { StateMark } from './StateMark.tsx'
import { TYPE_LABELS, alertName } from './alert-labels.ts'

export interface AlertContext {
  nowMs: number
  formatDate: (instant: string) => string
  formatExact: (instant: string) => string
  checked: ReadonlySet<number>
  /** Undefined where alerts have no actions. */
  toggle: ((alert: Alert) => void) | undefined
}

type AlertColumn = DataColumn<Alert, AlertContext>

const CHECKED: AlertColumn = {
  id: 'checked',
  title: 'Selected',
  titleHidden: true,
  width: '32px',
  render: (alert, context) => <CheckMark alert={alert} context={context} />,
}
const TIME: AlertColumn = {
  id: 'alert_time',
  title: 'Time',
  width: '172px',
  render: ({ alert_time }, { formatDate, formatExact }) => (
    <time dateTime={alert_time} data-tip={formatExact(alert_time)}>
      {formatDate(alert_time)}
    </time>
  ),
}
const SEVERITY: AlertColumn = {
  id: 'severity',
  title: 'Severity',
  width: '100px',
  render: ({ severity }) => <SeverityMark severity={severity} />,
  watch: ({ severity }) => severity,
}
const STATE: AlertColumn = {
  id: 'state',
  title: 'State',
  width: 'minmax(128px, 0.9fr)',
  render: (alert) => <StateMark alert={alert} />,
  watch: ({ state, hold }) => `${state} ${hold}`,
}
const TYPE: AlertColumn = {
  id: 'alert_type',
  title: 'Type',
  width: '80px',
  render: ({ alert_type }) => <span className="dim">{TYPE_LABELS[alert_type]}</span>,
}
const MESSAGE: AlertColumn = {
  id: 'message',
  title: 'Message',
  width: 'minmax(200px, 3fr)',
  render: ({ message }) => <bdi className={classes.name}>{message}</bdi>,
}
const LASTED: AlertColumn = {
  id: 'lasted',
  title: 'Duration',
  width: '92px',
  render: (alert, { nowMs }) => <span className="dim">{lasting(alert, nowMs)}</span>,
}
const RESOLVED: AlertColumn = {
  id: 'resolved_on',
  title: 'Resolved',
  width: '172px',
  render: ({ resolved_on }, { formatDate, formatExact }) =>
    resolved_on === null ? (
      <span className="dim">–</span>
    ) : (
      <time dateTime={resolved_on} className="dim" data-tip={formatExact(resolved_on)}>
        {formatDate(resolved_on)}
      </time>
    ),
}

function place(id: 'client' | 'site' | 'hostname', title: string): AlertColumn {
  const width = id === 'hostname' ? 'minmax(140px, 1.2fr)' : 'minmax(100px, 0.9fr)'
  return { id, title, width, render: (alert) => <bdi>{alert[id] || '–'}</bdi> }
}

interface ColumnChoice {
  /** Alerts of one machine, without the machine's name in each row. */
  ofAgent: boolean
  canCheck: boolean
  mayBeResolved: boolean
}

/** The columns of an alert table, and the width below which it scrolls sideways. */
export function alertColumns({ ofAgent, canCheck, mayBeResolved }: ColumnChoice): {
  columns: readonly AlertColumn[]
  minWidth: number
} {
  const places = ofAgent
    ? []
    : [place('client', 'Client'), place('site', 'Site'), place('hostname', 'Machine')]
  return {
    columns: [
      ...(canCheck ? [CHECKED] : []),
      TIME,
      SEVERITY,
      STATE,
      ...places,
      TYPE,
      MESSAGE,
      LASTED,
      ...(mayBeResolved ? [RESOLVED] : []),
    ],
    minWidth: (ofAgent ? 810 : 1190) + (mayBeResolved ? 170 : 0),
  }
}

/** An alert in a narrow window. */
export function alertCard({
  ofAgent,
  canCheck,
}: Pick<ColumnChoice, 'ofAgent' | 'canCheck'>): DataCard<Alert, AlertContext> {
  return {
    height: ofAgent ? 61 : 83,
    render: (alert, context) => (
      <>
        <div className="cardLine">
          <span className={classes.cardStart}>
            <SeverityMark severity={alert.severity} shapeOnly />
            {ofAgent ? (
              <bdi className={`cut ${classes.name}`}>{alertName(alert)}</bdi>
            ) : (
              <Where alert={alert} />
            )}
          </span>
          {canCheck && <CheckMark alert={alert} context={context} />}
        </div>
        {!ofAgent && (
          <div className="cardLine">
            <bdi className="cut">{alertName(alert)}</bdi>
          </div>
        )}
        <div className="cardLine dim">
          <span className="cut">
            <StateMark alert={alert} />
          </span>
          <span className={classes.cardEnd}>{lasting(alert, context.nowMs)}</span>
        </div>
      </>
    ),
  }
}

/** The machine first: on a narrow screen the end is cut. */
function Where({ alert: { hostname, client, site, alert_type } }: { alert: Alert }) {
  const place = [client, site].filter((part) => part !== '').join(' › ')
  return (
    <span className="cut">
      <bdi className="strong">{hostname || place || TYPE_LABELS[alert_type]}</bdi>
      {hostname !== '' && <bdi className="dim"> {place}</bdi>}
    </span>
  )
}

/** Current or final duration. */
export function lasting({ alert_time, resolved_on }: Alert, nowMs: number): string {
  const endMs = resolved_on === null ? nowMs : Date.parse(resolved_on)
  return formatDuration(Math.max(0, Math.round((endMs - Date.parse(alert_time)) / 1000)))
}

// The keyboard uses Space for it.
function CheckMark({ alert, context: { checked, toggle } }: { alert: Alert; context: AlertContext }) {
  return (
    <span
      className={classes.check}
      onClick={(event) => event.stopPropagation()}
      aria-hidden={toggle === undefined}
    >
      <Checkbox
        size="xs"
        tabIndex={-1}
        aria-label={`Select ${alertName(alert)}`}
        checked={checked.has(alert.id)}
        onChange={() => toggle?.(alert)}
      />
    </span>
  )
}
