import { Loader } from '@mantine/core'
import { LOADING_DELAY_MS } from '@muster/rules/text/layout'
import classes from './BusyOverlay.module.css'
import { useDelayed } from './States.tsx'

/** Covers the page during an action that must not be interrupted; only when it takes longer than 50 ms. */
export function BusyOverlay({ message }: { message?: string }) {
  const shown = useDelayed(LOADING_DELAY_MS)
  if (!shown) return null
  return (
    <div className={classes.overlay} role="status">
      <Loader />
      <span>{message ?? 'Please wait …'}</span>
    </div>
  )
}
