import type { ActionResult } from '@muster/contract/agent/tasks'
import { useMemo } from 'react'
import { OutputBox } from '../../ui/layout/OutputBox.tsx'
import classes from './TaskRuns.module.css'

interface RunOutputProps {
  place: number
  action: ActionResult
  /** How long it took. */
  seconds: string
}

/** What one action of a run printed, and how it ended. */
export function RunOutput({ place, action, seconds }: RunOutputProps) {
  const { name, outcome, reason, retcode, stdout, stderr } = action
  const segments = useMemo(
    () =>
      [
        { text: stdout, tone: undefined },
        { text: stderr, tone: 'negative' as const },
      ].filter(({ text }) => text !== ''),
    [stdout, stderr],
  )
  return (
    <div className={classes.action}>
      <h3 className={classes.title}>
        {place}. <bdi>{name}</bdi>
        <span className={classes.dim}>
          {retcode !== null && ` · exit code ${retcode}`}
          {outcome !== 'skipped' && ` · ${seconds}`}
        </span>
      </h3>
      {reason !== null && <p className={classes.reason}>{reason}</p>}
      {outcome !== 'skipped' && outcome !== 'refused' && (
        <div className={classes.box}>
          <OutputBox
            label={`Output of action ${place}`}
            segments={segments}
            empty="It printed nothing."
            growing={false}
          />
        </div>
      )}
    </div>
  )
}
