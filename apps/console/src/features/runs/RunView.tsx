import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import '@mantine/core/styles/Progress.css'
import { Button, Progress, SegmentedControl } from '@mantine/core'
import { type AgentHistory, cancelHistory, getHistoryOutput } from '@muster/contract/api/runs'
import { formatFileSize } from '@muster/rules/text/units'
import { canCancel, INSTALL_TYPES, isFinal } from '@muster/rules/agents/history-state'
import { IconPlayerStop } from '@tabler/icons-react'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { Link } from '@tanstack/react-router'
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { describeError } from '../../app/api/describe-error.ts'
import { useMay } from '../../app/api/queries.ts'
import { CopyAction } from '../../ui/inputs/CopyText.tsx'
import { OutputBox } from '../../ui/layout/OutputBox.tsx'
import { ErrorState, SkeletonRows } from '../../ui/layout/States.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import { useNow } from '../../ui/layout/use-now.ts'
import { call, quietly } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { RunState, RunSteps } from './RunState.tsx'
import classes from './RunView.module.css'
import { addOutput, NO_OUTPUT, type Output, type OutputStream, outputText } from './output-text.ts'
import { describeDuration } from './run-state.ts'

/** A command or script: its progress, and its output as it arrives. */
export function RunView({ id }: { id: number }) {
  const { data: run, error, refetch } = useRun(id)
  if (run === undefined) {
    return error === null ? (
      <SkeletonRows rows={4} />
    ) : (
      <ErrorState {...describeError(error)} onRetry={() => void refetch()} />
    )
  }
  return <LoadedRun key={id} {...run} />
}

function LoadedRun({ history, output }: Run) {
  const [view, setView] = useState('all')
  const hasErrors = output.segments.some(({ stream }) => stream === 'stderr')
  const stream: OutputStream | undefined = view === 'stdout' || view === 'stderr' ? view : undefined
  const shown = hasErrors ? stream : undefined
  return (
    <div className={classes.run}>
      <RunHead history={history}>
        {hasErrors && (
          <SegmentedControl
            size="xs"
            data={VIEWS}
            value={view}
            onChange={setView}
            aria-label="Output stream"
          />
        )}
        {output.segments.length > 0 && (
          <CopyAction label="Copy output" text={() => outputText(output, shown)} />
        )}
      </RunHead>
      {INSTALL_TYPES.includes(history.type) && !isFinal(history.state) && <InstallProgress output={output} />}
      <RunOutput history={history} output={output} shown={shown} />
    </div>
  )
}

const TICK_MS = 1000

/** Its state; its actions at the right. */
function RunHead({ history, children }: { history: AgentHistory; children: ReactNode }) {
  const mayCancel = useMay('can_send_cmd')
  const cancel = useCancelRun(history.id)
  const nowMs = useNow(TICK_MS)
  const duration = describeDuration(history, nowMs)
  const head = useRef<HTMLDivElement>(null)
  const mayStop = mayCancel && canCancel(history)
  useEffect(() => {
    // The focused button has disappeared.
    if (!mayStop && cancel.isSuccess && document.activeElement === document.body) head.current?.focus()
  }, [mayStop, cancel.isSuccess])
  return (
    <div ref={head} tabIndex={-1} className={classes.head}>
      <span role="status">
        <RunState run={history} />
      </span>
      {isFinal(history.state) ? (
        <span className={classes.dim}>{duration}</span>
      ) : (
        <>
          <RunSteps run={history} />
          <span className={classes.dim}>{duration}</span>
        </>
      )}
      {history.state === 'done' && history.retcode === 0 && <span className={classes.dim}>exit code 0</span>}
      {history.state === 'queued' && (
        <span className={classes.dim}>
          Machine offline. Waiting until <Time instant={history.expires_at} />.
        </span>
      )}
      {history.job !== null && (
        <Link to="/jobs/$job_id" params={{ job_id: `${history.job}` }}>
          Job J-{history.job}
        </Link>
      )}
      <div className={classes.tools}>
        {children}
        {mayStop && (
          <Button
            variant="default"
            leftSection={<IconPlayerStop size={16} stroke={1.75} aria-hidden />}
            loading={cancel.isPending}
            onClick={() => cancel.mutate()}
          >
            Cancel
          </Button>
        )}
      </div>
      {history.reason !== null && <span className={classes.reason}>{history.reason}</span>}
    </div>
  )
}

const VIEWS = [
  { value: 'all', label: 'All' },
  { value: 'stdout', label: 'Output' },
  { value: 'stderr', label: 'Errors' },
]

interface RunOutputProps {
  history: AgentHistory
  output: Output
  /** Undefined = all streams. */
  shown: OutputStream | undefined
}

function RunOutput({ history, output, shown }: RunOutputProps) {
  const segments = useMemo(
    () =>
      output.segments
        .filter((segment) => shown === undefined || segment.stream === shown)
        .map(({ text, stream: from }) => ({
          text,
          tone: from === 'stderr' ? ('negative' as const) : undefined,
        })),
    [output, shown],
  )
  return (
    <>
      <div className={classes.box}>
        <OutputBox
          label="Output"
          segments={segments}
          growing={!isFinal(history.state)}
          empty={isFinal(history.state) ? 'No output' : 'No output yet.'}
        />
      </div>
      {!isFinal(history.state) && history.output_bytes >= LONG_OUTPUT_BYTES && (
        <p className={classes.cut} role="note">
          Beyond 512 KB of output or 171 KB of errors, the rest is shown when the run ends.
        </p>
      )}
      {history.output_cut_bytes > 0 && (
        <p className={classes.cut} role="note">
          {formatFileSize(history.output_bytes)} stored, {formatFileSize(history.output_cut_bytes)} left out.
        </p>
      )}
    </>
  )
}

/** From here on, the agent may hold back the rest of a stream until the end: the first part of errors (decision 118). */
const LONG_OUTPUT_BYTES = 170 * 1024

const TAIL = 4000

/** Progress of an installation from its own output: `Progress: 45 %`. Nothing before the first. */
function InstallProgress({ output }: { output: Output }) {
  const percent = readProgress(outputText(output, 'stdout'))
  if (percent === undefined) return null
  return <Progress value={percent} aria-label="Installation" />
}

export function readProgress(text: string): number | undefined {
  const percent = [...text.slice(-TAIL).matchAll(/^Progress: (\d{1,3}) %$/gm)].at(-1)?.[1]
  return percent === undefined ? undefined : Math.min(100, Number(percent))
}

interface Run {
  history: AgentHistory
  output: Output
}

/** Polling interval until the run has ended, in case live events are missing. */
const FALLBACK_MS = 5000

/** A command or script with its output so far; live, fetching only new output. */
export function useRun(id: number) {
  const queryClient = useQueryClient()
  return useQuery(runQuery(id, queryClient))
}

function runQuery(id: number, queryClient: QueryClient) {
  const params = { id }
  // The key names the machine's run as live-invalidation.ts expects it.
  const key = queryKey(getHistoryOutput, { params, query: { after: 0 } })
  return queryOptions({
    queryKey: key,
    queryFn: async ({ signal }): Promise<Run> => {
      const before = queryClient.getQueryData<Run>(key)?.output ?? NO_OUTPUT
      const ask = () => call(getHistoryOutput, { params, query: { after: before.lastSeq } }, { signal })
      const { history, chunks } = await quietly(ask)
      return { history, output: addOutput(before, chunks) }
    },
    structuralSharing: false,
    refetchInterval: ({ state }) => (state.data && isFinal(state.data.history.state) ? false : FALLBACK_MS),
    // Events between the last fetch and this one were missed.
    staleTime: 0,
  })
}

/** Cancels a run; its state then follows the machine's report. */
function useCancelRun(id: number) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => call(cancelHistory, { params: { id } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: runQuery(id, queryClient).queryKey }),
  })
}
