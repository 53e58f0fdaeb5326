import type { UseFormReturnType } from '@mantine/form'
import type { CheckType } from '@muster/contract/api/checks'
import { type Check, type CheckSettings, listAgentChecks } from '@muster/contract/api/checks'
import { SERVER_CHECK_LIMIT_MS } from '@muster/contract/checks/server-checks'
import { METRIC_PREFIX } from '@muster/rules/checks/judgement'
import { previewThresholds } from '@muster/rules/checks/thresholds'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useMemo } from 'react'
import { query } from '../../app/api/api.ts'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { type CheckForm, toCheckBody } from './check-form.ts'
import type { CheckTarget } from './fields/FieldParts.tsx'
import { type SeriesThresholds, thresholdsOf } from './check-thresholds.ts'
import { intervalSeconds, seriesLabel } from './check-labels.ts'
import { describePreview } from './preview-text.ts'
import classes from './ThresholdPreview.module.css'
import { useRecentSamples } from './use-samples.ts'
import type { ThresholdName } from './use-threshold-drag.ts'

const CheckGraph = lazyPart(() => import('./CheckGraph.tsx').then((file) => file.CheckGraph))
const GRAPH_PX = 132

interface ThresholdPreviewProps {
  agent: CheckTarget
  check: Check | undefined
  type: CheckType
  form: UseFormReturnType<CheckForm>
}

/** The alerts that the form's thresholds would have caused, drawn on this machine's history; updated on each change. */
export function ThresholdPreview(props: ThresholdPreviewProps) {
  const { agent } = props
  return agent.agent_id === null ? null : <PreviewOn {...props} agent={agent} />
}

type OnMachine = ThresholdPreviewProps & { agent: Extract<CheckTarget, { agent_id: string }> }

function PreviewOn({ agent, check, type, form }: OnMachine) {
  const body = toCheckBody(type, form.values)
  const like = useLikeCheck(agent.agent_id, check, body?.settings)
  const { data } = useRecentSamples(like?.id)
  if (like === undefined || data === undefined || body === undefined) return null
  const all = thresholdsOf(body.settings, agent)
  // Scripts have thresholds for each of their numbers; other checks use the form's own pair.
  const shown = type === 'script' ? all : all.slice(0, 1)
  return shown.map((threshold, index) => (
    <SeriesPreview
      // A metric may have several thresholds.
      key={`${index} ${threshold.series}`}
      threshold={threshold}
      data={data}
      timing={{
        fails_b4_alert: body.fails_b4_alert,
        run_interval_seconds: intervalSeconds(body, agent.check_interval),
      }}
      stepSeconds={Math.max(data.older.resolution, intervalSeconds(like, agent.check_interval))}
      onThreshold={(name, value) => {
        const field = type === 'script' ? `metric_thresholds.${index}.${name}` : name
        form.setFieldValue(field, Number((value / threshold.perUnit).toFixed(2)))
        form.clearFieldError(field.replace(name, 'warning_threshold'))
      }}
    />
  ))
}

interface SeriesPreviewProps {
  threshold: SeriesThresholds
  data: NonNullable<ReturnType<typeof useRecentSamples>['data']>
  timing: { fails_b4_alert: number; run_interval_seconds: number }
  stepSeconds: number
  onThreshold: (name: ThresholdName, value: number) => void
}

function SeriesPreview({ threshold, data, timing, stepSeconds, onThreshold }: SeriesPreviewProps) {
  const { points, unit, preview } = useMemo(() => {
    const parts = [data.older, data.newer].map(({ resolution, series }) => ({
      resolution,
      points: series.find(({ name }) => name === threshold.series)?.points ?? [],
    }))
    return {
      points: parts.flatMap((part) => part.points),
      unit: data.newer.series.find(({ name }) => name === threshold.series)?.unit ?? '%',
      preview: previewThresholds(parts, { ...threshold, ...timing }, data.range.to),
    }
    // Depends on the values inside: the objects are new at each render.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [data, JSON.stringify([threshold, timing])])
  const metric = threshold.series.startsWith(METRIC_PREFIX) ? seriesLabel(threshold.series) : undefined
  const label = `Preview of the thresholds${metric === undefined ? '' : ` of ${metric}`}`
  if (preview.since === undefined) {
    if (metric === undefined) return null
    return (
      <section className={classes.preview} aria-label={label}>
        <p className={classes.words} role="status">
          <bdi className="mono">{metric}</bdi> has no values yet. Without one, the check fails.
        </p>
      </section>
    )
  }
  const range = { from: Math.max(data.range.from, preview.since), to: data.range.to }
  return (
    <section className={classes.preview} aria-label={label}>
      <p className={classes.words} role="status">
        {metric !== undefined && (
          <>
            <bdi className="mono">{metric}</bdi>,{' '}
          </>
        )}
        {describePreview(preview, range.to - range.from, metric !== undefined)}
      </p>
      <Suspense fallback={<div style={{ height: GRAPH_PX + 24 }} />}>
        <CheckGraph
          label={`Measurements${metric === undefined ? '' : ` of ${metric}`} with these thresholds`}
          points={points}
          unit={unit}
          stepSeconds={stepSeconds}
          isMean={false}
          range={range}
          height={GRAPH_PX}
          failures={preview.failures}
          thresholds={threshold}
          onThreshold={(name, value) => {
            // Only thresholds of metrics may be 0 or negative.
            const most = unit === '%' ? 99 : SERVER_CHECK_LIMIT_MS
            onThreshold(name, metric === undefined ? Math.min(most, Math.max(1, value)) : value)
          }}
        />
      </Suspense>
    </section>
  )
}

/** The check itself, or for a new one another check of the machine with the same measurement. */
function useLikeCheck(agentId: string, check: Check | undefined, settings: CheckSettings | undefined) {
  const options = query(listAgentChecks, { params: { agent_id: agentId }, query: {} })
  const { data: others = [] } = useQuery({ ...options, enabled: check === undefined })
  const isSame = (one: CheckSettings) =>
    settings !== undefined && measuredBy(one) !== undefined && measuredBy(one) === measuredBy(settings)
  if (check !== undefined) {
    return check.settings.check_type === 'script' || isSame(check.settings) ? check : undefined
  }
  return others.find((other) => isSame(other.settings))
}

/** Key of a check's measurement; equal keys have the same history. */
function measuredBy(settings: CheckSettings): string | undefined {
  switch (settings.check_type) {
    case 'diskspace':
      return `disk ${settings.disk}`
    case 'cpuload':
    case 'memory':
      return settings.check_type
    case 'http':
      return `http ${settings.url}`
    case 'tcp':
      return `tcp ${settings.host} ${settings.port}`
    default:
      return undefined
  }
}
