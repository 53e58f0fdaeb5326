import type { testScriptOnServer } from '@muster/contract/api/scripts'
import type { Output } from '@muster/contract/endpoint'
import { useMemo } from 'react'
import { CopyAction } from '../../ui/inputs/CopyAction.tsx'
import { OutputBox } from '../../ui/layout/OutputBox.tsx'
import classes from './TestRun.module.css'

/** How code went that ran on the server itself, and what it wrote. */
export function ServerTestView({ run }: { run: Output<typeof testScriptOnServer> }) {
  const { retcode, reason, execution_time, stdout, stderr } = run
  const segments = useMemo(
    () =>
      [
        { text: stdout, tone: undefined },
        { text: stderr, tone: 'negative' as const },
      ].filter(({ text }) => text !== ''),
    [stdout, stderr],
  )
  return (
    <section aria-label="Test on the server">
      <div className={classes.head}>
        <span role="status">
          {retcode === null ? reason : `exit code ${retcode}`} · {execution_time.toFixed(1)} s
        </span>
        {segments.length > 0 && <CopyAction label="Copy output" text={() => `${stdout}${stderr}`} />}
      </div>
      <div className={classes.box}>
        <OutputBox label="Output" segments={segments} empty="There was no output." growing={false} />
      </div>
    </section>
  )
}
