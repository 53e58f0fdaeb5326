import classes from './LiveIndicator.module.css'
import { formatSeconds } from '../shell/format-seconds.ts'
import { useLive } from './live.ts'

const WORDS = { live: 'live', connecting: 'connecting', lost: 'offline' }

/** Whether changes arrive live, and the round-trip time to the server. */
export function LiveIndicator() {
  const status = useLive((state) => state.status)
  const roundTripMs = useLive((state) => state.roundTripMs)
  const time = status === 'live' && roundTripMs !== undefined ? ` · ${formatSeconds(roundTripMs)}` : ''
  return (
    <span
      className={classes.live}
      data-status={status}
      data-tip={EXPLANATIONS[status]}
      tabIndex={0}
      role="status"
    >
      {WORDS[status]}
      {time}
    </span>
  )
}

const EXPLANATIONS = {
  live: 'Live: changes appear automatically. The time is the response time of the server.',
  connecting: 'Connecting to the server for live updates.',
  lost: 'Connection lost. The console reconnects automatically.',
}
