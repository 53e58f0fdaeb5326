import { StatusDot } from '../../ui/layout/StatusDot.tsx'
import type { LiveView } from './use-live-metrics.ts'

const WORDS = {
  live: { state: 'online', label: 'Measured each second while you look' },
  waiting: { state: 'away', label: 'Waiting for the next value' },
  paused: { state: 'away', label: 'Paused while this page is hidden' },
  away: { state: 'offline', label: 'Not connected: nothing comes now' },
} as const

/** Whether the machine is measured by the second. */
export function LiveMark({ view }: { view: LiveView }) {
  const { state, label } = WORDS[view]
  return (
    <span role="status">
      <StatusDot state={state} label={label} />
    </span>
  )
}
