import { Button, Checkbox } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { type ReactNode, use, useCallback, useMemo, useState } from 'react'
import type { Alert, AlertAction } from '@muster/contract/api/alerts'
import { IconBellPause, IconCircleCheck, IconUserCheck } from '@tabler/icons-react'
import { useMediaQuery } from '@mantine/hooks'
import { EmptyState } from '../../ui/layout/States.tsx'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { useQueryPane } from '../../app/dialogs/use-query-pane.tsx'
import { ContextMenu } from '../../ui/dialog/ContextMenu.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { SortAgain } from '../../ui/table/SortAgain.tsx'
import { type KeptOrder, useKeptOrder } from '../../ui/table/use-kept-order.ts'
import { formatDate } from '../../ui/layout/date-format.ts'
import { DateFormat } from '../../ui/layout/date-format-context.ts'
import type { Point } from '../../ui/dialog/menu-entry.ts'
import { useNow } from '../../ui/layout/use-now.ts'
import classes from './AlertList.module.css'
import { AlertTools } from './AlertTools.tsx'
import {
  describeCalm,
  describeCalmOf,
  OverdueActions,
  OverdueStrip,
  TurnOnOne,
  useOverdue,
} from './Overdue.tsx'
import { type AlertView, includesResolved, isNarrowed, START_VIEW, toAlertsRequest } from './alert-view.ts'
import { alertsQuery } from './alerts-query.ts'
import { type AlertActions, fits, useAlertActions } from './use-alert-actions.tsx'
import { alertName, countAlerts } from './alert-labels.ts'
import { alertCard, alertColumns, type AlertContext } from './alert-columns.tsx'

/** Alerts fetched at first, and added by each "Show more". */
const STEP = 200
const MAX_COUNT = 1000
const NO_ALERTS: readonly Alert[] = []
export const REFUSED = 'Your role does not allow you to see alerts.'

interface AlertListProps {
  view: AlertView
  onChange: (view: AlertView) => void
  /** Only alerts of this machine. */
  agent?: AgentDetail
}

/** Alerts with their filter, worst and newest first; live. Opening one shows its log. */
export function AlertList({ view, onChange, agent }: AlertListProps) {
  const [size, setSize] = useState(STEP)
  const request = toAlertsRequest(view, agent?.agent_id, size)
  const { data, instead, isRefused, query } = useQueryPane(alertsQuery(request), {
    needs: 'can_list_alerts',
    refused: REFUSED,
    rows: 8,
  })
  const order = useKeptOrder(
    data?.alerts ?? NO_ALERTS,
    ({ id }) => `${id}`,
    JSON.stringify([request, query.isPlaceholderData]),
  )
  const alerts = order.rows
  const chosen = useChosen(alerts)
  const actions = useAlertActions(chosen.clear)
  if (isRefused) return instead
  return (
    <div className={classes.list}>
      <AlertTools view={view} onChange={onChange} agentId={agent?.agent_id} />
      {data === undefined ? (
        <div className={classes.state}>{instead}</div>
      ) : (
        <>
          {data.alerts_count > 0 && agent === undefined && <OverdueStrip />}
          {data.alerts_count > 0 && (
            <ChosenBar
              alerts={alerts}
              total={data.alerts_count}
              chosen={chosen}
              actions={actions}
              order={order}
            />
          )}
          <div className={classes.table} aria-busy={query.isPlaceholderData} {...order.reading}>
            <AlertTable
              alerts={alerts}
              chosen={chosen}
              actions={actions}
              ofAgent={agent !== undefined}
              mayBeResolved={includesResolved(view)}
              empty={<NoAlerts view={view} onChange={onChange} agent={agent} />}
            />
          </div>
          {data.alerts_count > alerts.length && (
            <div className="list-end">
              {size < MAX_COUNT ? (
                <Button variant="subtle" onClick={() => setSize(Math.min(MAX_COUNT, size + 2 * STEP))}>
                  Show more
                </Button>
              ) : (
                <span className="dim">
                  The worst and newest {MAX_COUNT} are shown. Narrow the filter to see others.
                </span>
              )}
            </div>
          )}
        </>
      )}
      {actions.dialog}
    </div>
  )
}

interface NoAlertsProps {
  view: AlertView
  onChange: (view: AlertView) => void
  agent?: AgentDetail | undefined
}

/** Instead of alerts: the filter hides them, or none is open. */
export function NoAlerts({ view, onChange, agent }: NoAlertsProps) {
  const overdue = useOverdue()
  if (isNarrowed(view)) {
    return (
      <EmptyState message="No alerts match the filter.">
        <Button
          variant="default"
          onClick={() => onChange({ ...START_VIEW, state: view.state, days: view.days })}
        >
          Clear filter
        </Button>
      </EmptyState>
    )
  }
  const { state, days } = view
  if (state !== 'open' && state !== 'all') {
    const range = state === 'resolved' && days > 0 ? ' in the selected time range' : ''
    return (
      <EmptyState message={`No ${state} alerts${range}.`}>
        <Button variant="default" onClick={() => onChange({ ...view, state: 'open' })}>
          Show open alerts
        </Button>
      </EmptyState>
    )
  }
  const calm = agent === undefined ? describeCalm(overdue) : describeCalmOf(agent)
  const actions = agent === undefined ? <OverdueActions /> : <TurnOnOne agent={agent} />
  return (
    <EmptyState message={calm}>
      <div className={classes.calm}>
        {actions}
        {state === 'open' && (
          <Button variant="default" onClick={() => onChange({ ...view, state: 'resolved' })}>
            Show resolved alerts
          </Button>
        )}
      </div>
    </EmptyState>
  )
}

interface ChosenBarProps {
  alerts: readonly Alert[]
  /** Including alerts that are not fetched. */
  total: number
  chosen: Chosen
  actions: AlertActions
  order: KeptOrder<Alert>
}

const CHANGES = [
  { action: 'acknowledge', label: 'Acknowledge', icon: IconUserCheck },
  { action: 'snooze', label: 'Snooze', icon: IconBellPause },
  { action: 'resolve', label: 'Resolve', icon: IconCircleCheck },
] as const

/** Number of alerts and of selected ones, and the actions on the selection. */
function ChosenBar({ alerts, total, chosen: { ids, setAll }, actions, order }: ChosenBarProps) {
  const { mayManage, ask } = actions
  const many = ids.size
  const fitting = (action: AlertAction) => alerts.filter((alert) => ids.has(alert.id) && fits(action, alert))
  return (
    <div className={classes.chosen} data-some={many > 0 || undefined}>
      {mayManage && (
        <Checkbox
          size="xs"
          aria-label="Select all listed alerts"
          checked={many > 0 && many === alerts.length}
          indeterminate={many > 0 && many < alerts.length}
          onChange={(event) => setAll(event.currentTarget.checked)}
        />
      )}
      <span className={classes.count} role="status">
        {many > 0 ? `${many} of ${countAlerts(total)} selected` : countAlerts(total)}
      </span>
      {many > 0 &&
        CHANGES.map(({ action, label, icon: ActionIcon }) => (
          <Button
            key={action}
            variant="default"
            leftSection={<ActionIcon size={16} stroke={1.75} aria-hidden />}
            disabled={fitting(action).length === 0}
            onClick={() => ask(action, fitting(action))}
          >
            {label}
          </Button>
        ))}
      <SortAgain order={order} />
    </div>
  )
}

const ROW_PX = 32
const TICK_MS = 10_000

interface AlertTableProps {
  alerts: readonly Alert[]
  chosen: Chosen
  actions: AlertActions
  ofAgent: boolean
  mayBeResolved: boolean
  empty: ReactNode
}

/** The alerts, with clicks and keys: Enter opens, Space selects, the menu key shows all actions. */
function AlertTable({ alerts, chosen, actions, ofAgent, mayBeResolved, empty }: AlertTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const { open } = useDialog()
  const [selected, setSelected] = useState<string>()
  const [menu, setMenu] = useState<{ id: number; at: Point }>()
  const nowMs = useNow(TICK_MS)
  const format = use(DateFormat)
  const { mayManage } = actions
  const { ids, toggle } = chosen
  const context = useMemo<AlertContext>(
    () => ({
      nowMs,
      formatDate: (instant) => formatDate(instant, format),
      formatExact: (instant) => `${formatDate(instant, 'dddd, D MMMM YYYY, HH:mm:ss Z')}\n${instant}`,
      checked: ids,
      toggle: mayManage ? toggle : undefined,
    }),
    [nowMs, format, ids, mayManage, toggle],
  )
  const choice = { ofAgent, canCheck: mayManage }
  const { columns, minWidth } = useMemo(
    () => alertColumns({ ofAgent, canCheck: mayManage, mayBeResolved }),
    [ofAgent, mayManage, mayBeResolved],
  )
  const asked = alerts.find(({ id }) => id === menu?.id)
  const show = ({ id }: Alert) => open('alert', id)
  return (
    <>
      <DataTable
        label="Alerts"
        rows={alerts}
        rowKey={({ id }) => `${id}`}
        columns={columns}
        context={context}
        rowHeight={ROW_PX}
        minWidth={minWidth}
        selected={selected}
        onSelect={(alert) => setSelected(alert && `${alert.id}`)}
        onClickRow={show}
        onOpen={show}
        {...(mayManage ? { onToggle: toggle } : {})}
        onMenu={({ id }, at) => setMenu({ id, at })}
        card={hasCards ? alertCard(choice) : undefined}
        empty={empty}
      />
      {menu !== undefined && asked !== undefined && (
        <ContextMenu
          label={`Actions on ${alertName(asked)}`}
          at={menu.at}
          entries={actions.menuOf(asked)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </>
  )
}

interface Chosen {
  ids: ReadonlySet<number>
  toggle: (alert: Alert) => void
  setAll: (all: boolean) => void
  clear: () => void
}

/** The selected alerts of a list; alerts that leave the list are deselected. */
function useChosen(alerts: readonly Alert[]): Chosen {
  const [kept, setKept] = useState<ReadonlySet<number>>(NONE)
  const ids = useMemo(
    () => (kept.size === 0 ? NONE : new Set(alerts.filter(({ id }) => kept.has(id)).map(({ id }) => id))),
    [alerts, kept],
  )
  const toggle = useCallback(
    ({ id }: Alert) =>
      setKept((old) => {
        const next = new Set(old)
        if (!next.delete(id)) next.add(id)
        return next
      }),
    [],
  )
  const setAll = (all: boolean) => setKept(all ? new Set(alerts.map(({ id }) => id)) : NONE)
  const clear = useCallback(() => setKept(NONE), [])
  return { ids, toggle, setAll, clear }
}

const NONE: ReadonlySet<number> = new Set()

/** All alerts of one machine: open, suppressed and resolved. */
export function AlertsPane({ agent }: { agent: AgentDetail }) {
  const [view, setView] = useState<AlertView>({ ...START_VIEW, state: 'all' })
  return <AlertList view={view} onChange={setView} agent={agent} />
}
