import type { AgentDetail } from '@muster/contract/api/agents'
import type { Check, CheckType } from '@muster/contract/api/checks'
import { Suspense, useMemo } from 'react'
import { formatDuration } from '@muster/rules/text/units'
import { Button, Select } from '@mantine/core'
import type { CheckSamples } from '@muster/contract/checks/check-samples'
import { nameCheck } from '@muster/rules/checks/check-name'
import { IconChartDots } from '@tabler/icons-react'
import { GuardedDialog, LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { type AddressedDialogProps, useDialog } from '../../app/dialogs/use-dialog.ts'
import { isRefused } from '../../app/api/describe-error.ts'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState, NoPermission } from '../../ui/layout/States.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import { OutputBox } from '../../ui/layout/OutputBox.tsx'
import { endedOutput } from '../runs/output-text.ts'
import { DataTable } from '../../ui/table/DataTable.tsx'
import type { DataColumn } from '../../ui/table/data-column.ts'
import { formatDate } from '../../ui/layout/date-format.ts'
import { CheckDialog } from './CheckDialogs.tsx'
import classes from './CheckHistory.module.css'
import { CheckStatus } from './CheckStatus.tsx'
import { thresholdsOf } from './check-thresholds.ts'
import { formatValue, intervalSeconds, isDiskSeries, seriesLabel } from './check-labels.ts'
import { RangeTools, useHistoryView, ViewButtons } from './RangeTools.tsx'
import { useSamples } from './use-samples.ts'
import type { GraphPoint } from './graph-data.ts'
import type { GraphFailure, GraphPeriod } from './graph-marks.ts'
import { samplesTable, stateAt } from './samples-table.ts'
import { type HistoryView, writeView } from './history-view.ts'

interface HistoryToolsProps {
  check: Check
  agent: AgentDetail
  samples: CheckSamples | undefined
  series: CheckSamples['series'][number] | undefined
  view: HistoryView
  change: (part: Partial<HistoryView>) => void
}

/** Which number, over what time, as a graph or as a table. */
function HistoryTools({ check, agent, samples, series, view, change }: HistoryToolsProps) {
  const { range } = view
  const { open } = useDialog()
  const all = samples?.series ?? []
  return (
    <div className="toolbar">
      {all.length > 1 && (
        <Select
          aria-label="Measurement"
          className={classes.series}
          data={all.map(({ name }) => ({ value: name, label: seriesLabel(name) }))}
          allowDeselect={false}
          value={series?.name ?? null}
          onChange={(name) => change({ series: name ?? undefined })}
        />
      )}
      <RangeTools ref={takeFirstFocus} range={range} onChange={(chosen) => change({ range: chosen })} />
      <span className={classes.end}>
        {series !== undefined && (
          <Button
            variant="default"
            leftSection={<IconChartDots size={16} stroke={1.75} aria-hidden />}
            onClick={() =>
              open(
                'compare',
                `check:${check.id}:${series.name}`,
                writeView({ range, series: agent.agent_id, asTable: false }),
              )
            }
          >
            Compare
          </Button>
        )}
        <ViewButtons
          asTable={view.asTable}
          onAsTable={(asTable) => change({ asTable })}
          fileName={fileName(agent, check)}
          table={samples === undefined || all.length === 0 ? undefined : () => samplesTable(samples)}
        />
      </span>
    </div>
  )
}

/**
 * Focuses the selected time range on opening. The control passes no attribute on to its radio buttons, and a dialog that
 * showed its loading state has set its focus already.
 */
function takeFirstFocus(control: HTMLElement | null): void {
  const chosen = control?.querySelector('input:checked') ?? control?.querySelector('input')
  if (!(chosen instanceof HTMLElement)) return
  chosen.setAttribute('data-autofocus', 'true')
  chosen.focus({ preventScroll: true })
}

const fileName = ({ hostname }: AgentDetail, { id, settings }: Check) =>
  `${hostname.replaceAll(/[^A-Za-z0-9_.-]+/g, '-')}-${settings.check_type}-${id}.csv`

interface SamplesTableProps {
  points: readonly GraphPoint[]
  unit: string
  /** Each point is the mean of a period. */
  isMean: boolean
  failures: readonly GraphFailure[]
  maintenance: readonly GraphPeriod[]
}

type Column = DataColumn<GraphPoint, { unit: string; stateAt: (at: number) => string }>

const TIME: Column = {
  id: 'time',
  title: 'Time',
  width: 'minmax(160px, 2fr)',
  render: ([at]) => formatDate(at, 'ddd, MMM D YYYY, HH:mm:ss'),
}
const valueColumn = (id: string, title: string, place: 1 | 2 | 3): Column => ({
  id,
  title,
  width: 'minmax(72px, 1fr)',
  render: (point, { unit }) => formatValue(point[place], unit),
})
const STATE: Column = {
  id: 'state',
  title: 'State',
  width: 'minmax(110px, 1fr)',
  render: ([at], context) => context.stateAt(at),
}
const SAMPLE_COLUMNS = [TIME, valueColumn('value', 'Value', 1), STATE]
const MEAN_COLUMNS = [
  TIME,
  valueColumn('mean', 'Mean', 1),
  valueColumn('least', 'Minimum', 2),
  valueColumn('most', 'Maximum', 3),
  STATE,
]

/** The numbers of a graph, newest first. */
function SamplesTable({ points, unit, isMean, failures, maintenance }: SamplesTableProps) {
  const newestFirst = useMemo(() => points.toReversed(), [points])
  const context = useMemo(
    () => ({ unit, stateAt: (at: number) => stateAt(at, { failures, maintenance }) }),
    [unit, failures, maintenance],
  )
  return (
    <DataTable
      label="Measurements"
      rows={newestFirst}
      rowKey={([at]) => `${at}`}
      columns={isMean ? MEAN_COLUMNS : SAMPLE_COLUMNS}
      context={context}
      rowHeight={32}
    />
  )
}

const CheckGraph = lazyPart(() => import('./CheckGraph.tsx').then((file) => file.CheckGraph))
const GRAPH_PX = 300
/** Types with output besides numbers. */
const OUTPUT_TYPES = new Set<CheckType>(['script', 'eventlog', 'journal'])

/** The measurements of a check over time. */
export function CheckHistoryDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Check history" needs="can_list_checks" onClose={close} size="xl">
      <CheckDialog title="Check history" item={item} close={close} size="xl" live>
        {(check, agent) => (
          <Dialog title={<bdi>{`${nameCheck(check)} on ${agent.hostname}`}</bdi>} size="xl" onClose={close}>
            <History check={check} agent={agent} />
          </Dialog>
        )}
      </CheckDialog>
    </GuardedDialog>
  )
}

function History({ check, agent }: { check: Check; agent: AgentDetail }) {
  const { view, change } = useHistoryView()
  const { data, error, refetch } = useSamples(check.id, view.range)
  const zone = agent.time_zone ?? agent.timezone
  const { check_result: result, settings } = check
  const series = data?.series.find(({ name }) => name === view.series) ?? data?.series[0]
  const all = thresholdsOf(settings, agent)
  const thresholds = all.find((one) => one.series === series?.name)
  const hasValues = (name: string) =>
    data === undefined || data.series.some((one) => one.name === name && one.points.length > 0)
  const missing = settings.check_type === 'script' ? all.filter((one) => !hasValues(one.series)) : []
  return (
    <div className="stack">
      <p className={classes.now}>
        <CheckStatus state={result} />
        <bdi>{result.more_info}</bdi>
        <span className="dim small">
          {result.last_run === null ? (
            'never run'
          ) : (
            <Time instant={result.last_run} relative machineZone={zone} />
          )}
        </span>
      </p>
      <HistoryTools check={check} agent={agent} samples={data} series={series} view={view} change={change} />
      {missing.length > 0 && (
        <p className={classes.missing}>
          No values in this time range: <bdi className="mono">{missing.map(nameSeries).join(', ')}</bdi>
        </p>
      )}
      {data === undefined ? (
        <div className={classes.place}>
          {isRefused(error) ? (
            <NoPermission message="Your role does not allow you to see checks." />
          ) : (
            <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
          )}
        </div>
      ) : series === undefined || series.points.length === 0 ? (
        <div className={classes.place}>
          <EmptyState message={describeNothing(check, agent)} />
        </div>
      ) : view.asTable ? (
        <div className={classes.place}>
          <SamplesTable
            points={series.points}
            unit={series.unit}
            isMean={data.resolution > 0}
            failures={data.failures}
            maintenance={data.maintenance}
          />
        </div>
      ) : (
        <Suspense fallback={<div className={classes.place} />}>
          <CheckGraph
            label={`${seriesLabel(series.name)} over time`}
            isDisk={isDiskSeries(series.name)}
            points={series.points}
            unit={series.unit}
            stepSeconds={Math.max(data.resolution, intervalSeconds(check, agent.check_interval))}
            isMean={data.resolution > 0}
            range={data.range}
            height={GRAPH_PX}
            failures={data.failures}
            maintenance={data.maintenance}
            thresholds={thresholds}
            onZoom={(range) => change({ range })}
          />
        </Suspense>
      )}
      {OUTPUT_TYPES.has(settings.check_type) && result.last_run !== null && <LastOutput check={check} />}
    </div>
  )
}

const nameSeries = ({ series }: { series: string }) => seriesLabel(series)

function describeNothing({ check_result }: Check, { hostname, connected }: AgentDetail): string {
  if (check_result.last_run !== null) return 'No data in this time range. Choose a longer one.'
  return connected
    ? `${hostname} has not run this check yet. Results appear here.`
    : `${hostname} is offline and has not run this check yet.`
}

/** The last output of a script check, or the log entries that a check matched. */
function LastOutput({
  check: { check_result, settings },
}: {
  check: Pick<Check, 'check_result' | 'settings'>
}) {
  const { stdout, stderr, retcode, execution_time } = check_result
  const isScript = settings.check_type === 'script'
  const segments = useMemo(() => endedOutput(stdout, stderr), [stdout, stderr])
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
          empty={isScript ? 'No output' : 'No matching entries'}
          growing={false}
        />
      </div>
    </section>
  )
}
