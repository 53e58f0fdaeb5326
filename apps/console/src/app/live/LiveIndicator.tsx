import classes from './LiveIndicator.module.css'
import { formatSeconds } from '../shell/format-seconds.ts'
import { useLive } from './live.ts'

const WORDS = { live: 'live', connecting: 'connecting', lost: 'offline' }

/** Whether changes arrive by themselves, and how long the way to the server and back takes. */
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
  live: 'Changes appear by themselves. The time is how long the server takes to answer.',
  connecting: 'The live link to the server is being set up.',
  lost: 'The live link is lost. The console tries again by itself.',
}
