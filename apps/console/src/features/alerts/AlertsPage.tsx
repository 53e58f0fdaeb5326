import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { AlertList } from './AlertList.tsx'
import classes from './AlertsPage.module.css'
import { type AlertView, readAlertView, writeAlertView } from './alert-view.ts'

/** All alerts that the user may see. The address holds the filter. */
export function AlertsPage() {
  const address = useSearch({ from: '/signed-in/gated/frame/alerts' })
  const navigate = useNavigate()
  const show = useCallback(
    (view: AlertView) =>
      void navigate({
        to: '.',
        search: (old) => ({ ...old, ...writeAlertView(view) }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  )
  return (
    <div className="pane">
      <header className={classes.head}>
        <h1 className="page-title">Alerts</h1>
      </header>
      <AlertList view={readAlertView(address)} onChange={show} />
    </div>
  )
}
