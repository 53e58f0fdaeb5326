import { IconPlayerRecordFilled } from '@tabler/icons-react'
import classes from './RecordedMark.module.css'

/** Who works here knows that it is kept. */
export function RecordedMark({ what, by = 'who may view recordings' }: { what: string; by?: string }) {
  return (
    <p
      className={classes.recorded}
      title={`What this ${what} shows is kept, and can be played back by ${by}. Keys are not recorded.`}
    >
      <IconPlayerRecordFilled size={12} aria-hidden className={classes.dot} />
      Recorded
    </p>
  )
}
