import { IconPlayerRecordFilled } from '@tabler/icons-react'
import classes from './RecordedMark.module.css'

/** Shows that the session is recorded. */
export function RecordedMark({ what, by = 'who may view recordings' }: { what: string; by?: string }) {
  return (
    <p
      className={classes.recorded}
      title={`Recorded: the output of this ${what}, for ${by}. Keys are not recorded.`}
    >
      <IconPlayerRecordFilled size={12} aria-hidden className={classes.dot} />
      Recorded
    </p>
  )
}
