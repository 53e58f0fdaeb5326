import { Button } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { isRefused } from '../../app/api/describe-error.ts'
import { may, useMe } from '../../app/api/queries.ts'
import { EmptyState, NoPermission } from '../../ui/layout/States.tsx'
import classes from './AlertList.module.css'
import { AlertTable } from './AlertTable.tsx'
import { AlertTools } from './AlertTools.tsx'
import { ChosenBar } from './ChosenBar.tsx'
import {
  OverdueActions,
  OverdueStrip,
  TurnOnOne,
  describeCalm,
  describeCalmOf,
  useOverdue,
} from './Overdue.tsx'
import { type AlertView, START_VIEW, isNarrowed, toAlertsRequest } from './alert-view.ts'
import { alertsQuery } from './alerts-query.ts'
import { useAlertActions } from './use-alert-actions.tsx'
import { useChosen } from './use-chosen.ts'

/** Alerts that are fetched at first, and added by each "Show more". */
const STEP = 200
const MOST = 1000
const REFUSED = 'Your role does not allow you to see alerts.'

interface AlertListProps {
  view: AlertView
  onChange: (view: AlertView) => void
  /** Only those of this machine. */
  agent?: AgentDetail
}

/** Alerts with their filter, worst and newest first; live. Opening one shows all that happened to it. */
export function AlertList({ view, onChange, agent }: AlertListProps) {
  const me = useMe()
  const mayList = me !== undefined && may(me, 'can_list_alerts')
  const [size, setSize] = useState(STEP)
  const request = toAlertsRequest(view, agent?.agent_id, size)
  const { data, error, isPlaceholderData, refetch } = useQuery({ ...alertsQuery(request), enabled: mayList })
  const alerts = data?.alerts ?? []
  const chosen = useChosen(alerts)
  const actions = useAlertActions(chosen.clear)
  if ((me !== undefined && !mayList) || isRefused(error)) return <NoPermission message={REFUSED} />
  return (
    <div className={classes.list}>
      <AlertTools view={view} onChange={onChange} isOfAgent={agent !== undefined} />
      {data === undefined ? (
        <div className={classes.state}>
          <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
        </div>
      ) : (
        <>
          {data.alerts_count > 0 && agent === undefined && <OverdueStrip />}
          {data.alerts_count > 0 && (
            <ChosenBar alerts={alerts} total={data.alerts_count} chosen={chosen} actions={actions} />
          )}
          <div className={classes.table} aria-busy={isPlaceholderData}>
            <AlertTable
              alerts={alerts}
              chosen={chosen}
              actions={actions}
              ofAgent={agent !== undefined}
              empty={<NoAlerts view={view} onChange={onChange} agent={agent} />}
            />
          </div>
          {data.alerts_count > alerts.length && (
            <div className={classes.more}>
              {size < MOST ? (
                <Button variant="subtle" onClick={() => setSize(Math.min(MOST, size + 2 * STEP))}>
                  Show more
                </Button>
              ) : (
                <span className={classes.dim}>
                  The worst and newest {MOST} are shown. Narrow the filter to see others.
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
  agent: AgentDetail | undefined
}

function NoAlerts({ view, onChange, agent }: NoAlertsProps) {
  const overdue = useOverdue()
  if (isNarrowed(view)) {
    return (
      <EmptyState message="No alert fits the filter.">
        <Button
          variant="default"
          onClick={() => onChange({ ...START_VIEW, also: view.also, days: view.days })}
        >
          Clear filter
        </Button>
      </EmptyState>
    )
  }
  const calm = agent === undefined ? describeCalm(overdue) : describeCalmOf(agent)
  const actions = agent === undefined ? <OverdueActions /> : <TurnOnOne agent={agent} />
  if (view.also.includes('resolved')) {
    return (
      <EmptyState
        message={
          view.days === 0 && overdue.overdue === 0
            ? 'There has been no alert yet.'
            : `${calm} There was none in this time, either.`
        }
      >
        {actions}
      </EmptyState>
    )
  }
  return (
    <EmptyState message={calm}>
      <div className={classes.calm}>
        {actions}
        <Button variant="default" onClick={() => onChange({ ...view, also: [...view.also, 'resolved'] })}>
          Show resolved ones
        </Button>
      </div>
    </EmptyState>
  )
}
