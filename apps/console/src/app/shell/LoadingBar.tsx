import { LOADING_BAR_PX } from '@muster/rules/text/layout'
import classes from './LoadingBar.module.css'
import { usePending } from '../api/api.ts'

/** The bar at the top of the page while requests run, in the user's loading_bar_color. */
export function LoadingBar() {
  const pending = usePending()
  return (
    <div
      aria-hidden
      className={classes.bar}
      data-active={pending || undefined}
      style={{ height: LOADING_BAR_PX }}
    />
  )
}
