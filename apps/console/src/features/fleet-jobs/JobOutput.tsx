import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { SegmentedControl } from '@mantine/core'
import { getFleetJobOutput, type JobGroup } from '@muster/contract/api/fleet-jobs'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { query } from '../../app/api/api.ts'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { OutputBox } from '../../ui/layout/OutputBox.tsx'
import { endedOutput } from '../runs/output-text.ts'
import { countMachines, MACHINE_STATE_LABELS } from './job-labels.ts'
import classes from './Jobs.module.css'

const CodeDiff = lazy(() => import('../scripts/CodeDiff.tsx').then((file) => ({ default: file.CodeDiff })))

/** The output of a group of machines, and how it differs from that of the largest successful group. */
export function JobOutput({ job, group }: { job: number; group: JobGroup }) {
  const [view, setView] = useState('difference')
  const hasEnded = group.state === 'succeeded' || group.state === 'failed'
  const { data, error, refetch } = useQuery({
    ...query(getFleetJobOutput, { params: { id: job, group: group.id } }),
    enabled: hasEnded,
  })
  const compare = data?.compare ?? null
  const shown = view === 'difference' && compare === null ? 'output' : view
  const exit = group.retcode === null ? MACHINE_STATE_LABELS[group.state] : `exit ${group.retcode}`
  return (
    <section aria-label="Output" className={classes.output}>
      <div className={classes.row}>
        <h2 className={classes.title}>
          {countMachines(group.count)}, {exit}
        </h2>
        <SegmentedControl
          size="xs"
          value={shown}
          onChange={setView}
          data={[
            { value: 'difference', label: 'Difference', disabled: compare === null },
            { value: 'output', label: 'Output' },
            { value: 'errors', label: 'Errors' },
          ]}
        />
      </div>
      {!hasEnded ? (
        <p className="dim">{group.line || 'No output yet.'}</p>
      ) : data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={4} />
      ) : (
        <>
          {shown === 'difference' && compare !== null ? (
            <Suspense fallback={<LoadingState error={null} onRetry={() => undefined} rows={4} />}>
              <CodeDiff
                before={plain(compare.stdout, compare.stderr)}
                after={plain(data.stdout, data.stderr)}
                summary={(changed) =>
                  changed === 0
                    ? `Same output as ${countMachines(compare.group.count)} that succeeded.`
                    : `Compared with ${countMachines(compare.group.count)} that succeeded.`
                }
              />
            </Suspense>
          ) : (
            // The box is as high as its parent, which is as high as the output.
            <div>
              <OutputBox
                label={shown === 'errors' ? 'Errors' : 'Output'}
                segments={endedOutput(shown === 'errors' ? '' : data.stdout, data.stderr)}
                empty={shown === 'errors' ? 'No output on the error stream.' : 'No output.'}
                growing={false}
              />
            </div>
          )}
          {data.common.map((text) => (
            <p key={text} className="dim">
              {text}
            </p>
          ))}
        </>
      )}
    </section>
  )
}

const plain = (stdout: string, stderr: string) =>
  endedOutput(stdout, stderr)
    .map(({ text }) => text)
    .join('')
