import type { AgentDetail } from '@muster/contract/api/agents'
import type { Check, CheckType } from '@muster/contract/api/checks'
import { Suspense } from 'react'
import { GuardedDialog, LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/dialogs.tsx'
import { isRefused } from '../../app/api/describe-error.ts'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState, NoPermission } from '../../ui/layout/States.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import { CheckDialog } from './CheckDialog.tsx'
import classes from './CheckHistory.module.css'
import { CheckStatus } from './CheckStatus.tsx'
import { HistoryTools } from './HistoryTools.tsx'
import { LastOutput } from './LastOutput.tsx'
import { SamplesTable } from './SamplesTable.tsx'
import { thresholdsOf } from './check-thresholds.ts'
import { checkName, intervalSeconds, seriesLabel } from './check-words.ts'
import { useHistoryView } from './use-history-view.ts'
import { useSamples } from './use-samples.ts'

const CheckGraph = lazyPart(() => import('./CheckGraph.tsx').then((file) => file.CheckGraph))
const GRAPH_PX = 300
/** Types that have more to show than numbers. */
const OUTPUT_TYPES = new Set<CheckType>(['script', 'eventlog', 'journal'])

/** What a check has measured over time. */
export function CheckHistoryDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Check history" needs="can_list_checks" onClose={close} size="xl">
      <CheckDialog title="Check history" item={item} close={close} size="xl" live>
        {(check, agent) => (
          <Dialog title={<bdi>{`${checkName(check)} on ${agent.hostname}`}</bdi>} size="xl" onClose={close}>
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
  const thresholds = thresholdsOf(settings, agent).find((one) => one.series === series?.name)
  return (
    <div className={classes.history}>
      <p className={classes.now}>
        <CheckStatus state={result} />
        <bdi>{result.more_info}</bdi>
        <span className={classes.dim}>
          {result.last_run === null ? (
            'never run'
          ) : (
            <Time instant={result.last_run} relative machineZone={zone} />
          )}
        </span>
      </p>
      <HistoryTools check={check} agent={agent} samples={data} series={series} view={view} change={change} />
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

function describeNothing({ check_result }: Check, { hostname, connected }: AgentDetail): string {
  if (check_result.last_run !== null) return 'Nothing was measured in this time. Choose a longer one.'
  return connected
    ? `${hostname} has not run this check yet. What it measures is drawn here as it comes.`
    : `${hostname} is not connected, and has not run this check yet.`
}
