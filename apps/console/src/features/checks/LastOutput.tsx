import type { CheckState } from '@muster/contract/api/checks'
import { formatDuration } from '@muster/rules/duration'
import { useMemo } from 'react'
import { OutputBox } from '../../ui/OutputBox.tsx'
import classes from './CheckHistory.module.css'

/** What the script of a check printed last. */
export function LastOutput({ result }: { result: CheckState }) {
  const { stdout, stderr, retcode, execution_time } = result
  const segments = useMemo(
    () =>
      [
        { text: stdout, tone: undefined },
        { text: stderr, tone: 'negative' as const },
      ].filter(({ text }) => text !== ''),
    [stdout, stderr],
  )
  return (
    <section aria-label="Last run" className={classes.output}>
      <h3 className={classes.title}>
        Last run
        {retcode !== null && ` · exit code ${retcode}`}
        {execution_time !== null && ` · ${formatDuration(execution_time)}`}
      </h3>
      <div className={classes.box}>
        <OutputBox
          label="Output of the last run"
          segments={segments}
          empty="It printed nothing."
          growing={false}
        />
      </div>
    </section>
  )
}
