import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import { useQueryPane } from '../../app/dialogs/use-query-pane.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { countAlerts } from './alert-labels.ts'
import { SortAgain } from '../../ui/table/SortAgain.tsx'
import { useKeptOrder } from '../../ui/table/use-kept-order.ts'
import { NoAlerts, REFUSED } from './AlertList.tsx'
import { AlertPanel, type PanelProps } from './AlertPanel.tsx'
import { AlertTools } from './AlertTools.tsx'
import { type AlertView, toCausesRequest } from './alert-view.ts'
import { causesQuery } from './alerts-query.ts'
import { CauseList } from './CauseList.tsx'
import classes from './Causes.module.css'
import { OverdueStrip } from './Overdue.tsx'
import { useAlertActions } from './use-alert-actions.tsx'
import { useChosenAlert } from './use-chosen-alert.ts'

interface CausesViewProps {
  view: AlertView
  onChange: (view: AlertView) => void
  group: string | undefined
  alert: string | undefined
}

/** Alerts by cause, and the chosen one: beside the list, or in it where the window is narrow. */
export function CausesView({ view, onChange, group, alert }: CausesViewProps) {
  const request = toCausesRequest(view)
  const { data, instead, isRefused, query } = useQueryPane(causesQuery(request), {
    needs: 'can_list_alerts',
    refused: REFUSED,
    rows: 10,
  })
  const isWide = useMediaQuery('(min-width: 1100px)', undefined, { getInitialValueInEffect: false })
  const chosen = useChosenAlert({
    group,
    alert,
    request,
    worstKey: isWide ? data?.causes[0]?.key : undefined,
  })
  const order = useKeptOrder(
    data?.causes ?? [],
    ({ key }) => key,
    JSON.stringify([request, query.isPlaceholderData]),
  )
  const [checked, setChecked] = useState<ReadonlySet<number>>(NONE)
  const actions = useAlertActions(() => setChecked(NONE))
  if (isRefused) return instead
  const { rows, chosenId, openKey } = chosen
  const index = rows.findIndex(({ id }) => id === chosenId)
  const goTo = (next: number) => {
    const row = rows[next]
    if (row !== undefined) chosen.choose(row.id)
  }
  const panel: PanelProps | undefined =
    chosenId === undefined
      ? undefined
      : {
          id: chosenId,
          isCompact: !isWide,
          ask: actions.ask,
          checked: rows.filter(({ id }) => checked.has(id)),
          onDone: () => setChecked(NONE),
          step: index === -1 ? undefined : { index, of: rows.length, to: goTo },
        }
  // The alert of a link may be resolved, or hidden by the filter.
  const isElsewhere = index === -1 && (openKey === undefined || chosen.isLoaded)
  return (
    <div className={classes.view}>
      <div className={classes.side}>
        <AlertTools view={view} onChange={onChange} />
        {!isWide && panel !== undefined && isElsewhere && <AlertPanel key={panel.id} {...panel} />}
        {data === undefined ? (
          instead
        ) : data.total === 0 ? (
          <NoAlerts view={view} onChange={onChange} />
        ) : (
          <>
            <OverdueStrip />
            <div className={classes.total}>
              <span role="status">
                {countAlerts(data.alerts)}, {data.total} {data.total === 1 ? 'cause' : 'causes'}
              </span>
              <SortAgain order={order} />
            </div>
            <CauseList
              causes={order.rows}
              reading={order.reading}
              chosen={chosen}
              request={request}
              actions={actions}
              checked={checked}
              onCheck={setChecked}
              panel={isWide ? undefined : panel}
            />
            {data.total > data.causes.length && (
              <p className={classes.rest}>
                The first {data.causes.length} causes are shown. Narrow the filter to see others.
              </p>
            )}
          </>
        )}
      </div>
      {isWide && (
        <section aria-label="Chosen alert" className={classes.panel}>
          {panel === undefined ? (
            <EmptyState
              message={data?.total === 0 ? 'No alert to show.' : 'Choose a cause to see its alerts.'}
            />
          ) : (
            <AlertPanel key={panel.id} {...panel} />
          )}
        </section>
      )}
      {actions.dialog}
    </div>
  )
}

const NONE: ReadonlySet<number> = new Set()
