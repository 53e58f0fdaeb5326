import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { SegmentedControl } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useMay } from '../../app/api/queries.ts'
import { usePageTitle } from '../../app/shell/page-title.ts'
import classes from './AlertList.module.css'
import { AlertList } from './AlertList.tsx'
import { type AlertView, includesResolved, readAlertView, writeAlertView } from './alert-view.ts'
import { topAlertsQuery } from './alerts-query.ts'
import { CausesView } from './CausesView.tsx'

const VIEWS = [
  { value: 'causes', label: 'Causes' },
  { value: 'list', label: 'List' },
]

/** All alerts that the user may see, by cause or as a list. The address holds the view and its filter. */
export function AlertsPage() {
  const mayList = useMay('can_list_alerts')
  const { data: top } = useQuery({ ...topAlertsQuery, enabled: mayList, meta: { quiet: true } })
  usePageTitle(top === undefined || top.alerts_count === 0 ? 'Alerts' : `(${top.alerts_count}) Alerts`)
  const address = useSearch({ from: '/signed-in/gated/frame/alerts' })
  const navigate = useNavigate()
  const view = readAlertView(address)
  const isList = address.view === 'list' || includesResolved(view)
  const show = useCallback(
    (next: AlertView) =>
      void navigate({
        to: '.',
        search: (old) => ({ ...old, ...writeAlertView(next) }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  )
  const choose = (chosen: string) =>
    void navigate({
      to: '.',
      search: (old) => ({
        ...old,
        ...writeAlertView({ ...view, state: includesResolved(view) ? 'open' : view.state }),
        view: chosen === 'list' ? ('list' as const) : undefined,
        group: undefined,
        alert: undefined,
      }),
      resetScroll: false,
    })
  return (
    <div className="pane">
      <header className={classes.head}>
        <h1 className="page-title">Alerts</h1>
        <SegmentedControl
          size="xs"
          aria-label="View"
          data={VIEWS}
          value={isList ? 'list' : 'causes'}
          onChange={choose}
        />
      </header>
      {isList ? (
        <AlertList view={view} onChange={show} />
      ) : (
        <CausesView view={view} onChange={show} group={address.group} alert={address.alert} />
      )}
    </div>
  )
}
