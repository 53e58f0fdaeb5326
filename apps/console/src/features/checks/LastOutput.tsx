import type { Check } from '@muster/contract/api/checks'
import { formatDuration } from '@muster/rules/text/duration'
import { useMemo } from 'react'
import { OutputBox } from '../../ui/layout/OutputBox.tsx'
import classes from './CheckHistory.module.css'

/** What the script of a check printed last, or the entries of a log that it found. */
export function LastOutput({
  check: { check_result, settings },
}: {
  check: Pick<Check, 'check_result' | 'settings'>
}) {
  const { stdout, stderr, retcode, execution_time } = check_result
  const isScript = settings.check_type === 'script'
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
        {isScript ? 'Last run' : 'Newest matching entries of the last run'}
        {retcode !== null && ` · exit code ${retcode}`}
        {execution_time !== null && ` · ${formatDuration(execution_time)}`}
      </h3>
      <div className={classes.box}>
        <OutputBox
          label="Output of the last run"
          segments={segments}
          empty={isScript ? 'It printed nothing.' : 'There were none.'}
          growing={false}
        />
      </div>
    </section>
  )
}
