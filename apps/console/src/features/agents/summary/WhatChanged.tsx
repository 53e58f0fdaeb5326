import { Select } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { type Check, getCheckSamples } from '@muster/contract/api/checks'
import { getMachineMetrics } from '@muster/contract/api/metrics'
import { listMachineChanges, type TimelineEntry } from '@muster/contract/api/timeline'
import { nameCheck } from '@muster/rules/checks/check-name'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { call } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import { lazyPart } from '../../../app/shell/lazy-part.ts'
import { Time } from '../../../ui/layout/Time.tsx'
import { useNow } from '../../../ui/layout/use-now.ts'
import { isDiskSeries, seriesLabel } from '../../checks/check-labels.ts'
import { thresholdsOf } from '../../checks/check-thresholds.ts'
import { type TimeRange, usualStep } from '../../checks/graph-data.ts'
import type { GraphForecast } from '../../checks/graph-marks.ts'
import { writeView } from '../../checks/history-view.ts'
import { withForecast } from '../../checks/graph-forecast.ts'
import { useForecast } from '../../checks/use-forecast.ts'
import { EVENT_KINDS, useOpenEntry } from '../../metrics/event-kinds.ts'
import { usePane } from '../use-pane.ts'
import { useMachineChecks } from './FailingChecks.tsx'
import { findFailing } from './failing-checks.ts'
import section from '../../../ui/layout/Section.module.css'
import { Section } from '../../../ui/layout/Section.tsx'
import summary from './Summary.module.css'
import { describeChange, markersOf, type Period, rangeSince, type Subject } from './what-changed.ts'
import classes from './WhatChanged.module.css'

const CheckGraph = lazyPart(() => import('../../checks/CheckGraph.tsx').then((file) => file.CheckGraph))
const GRAPH_PX = 218
const MOVE_MS = 60_000
const TICK_MS = 10_000
const FIRST_SHOWN = 8

/** Changes since the worst failing check was healthy: its curve, and what was done to the machine meanwhile. */
export function WhatChanged({ agent }: { agent: AgentDetail }) {
  const { data: checks = [], isPending, fetchStatus } = useMachineChecks(agent)
  const [chosen, setChosen] = useState<string>()
  const [period, setPeriod] = useState<Period>()
  const nowMs = useNow(TICK_MS)
  // Which curve it is depends on the checks.
  if (isPending && fetchStatus !== 'idle') return null
  const failing = findFailing(checks, nowMs)
  const subjects = new Map<string, Subject>([
    ...failing.map((check): [string, Subject] => [`check:${check.id}`, { check }]),
    ['cpu', { metric: 'cpu' }],
    ['memory', { metric: 'memory' }],
  ])
  const [first = 'cpu'] = subjects.keys()
  const key = chosen !== undefined && subjects.has(chosen) ? chosen : first
  const subject = subjects.get(key) ?? { metric: 'cpu' }
  return (
    <Section
      title="What changed"
      note={
        'check' in subject && period === undefined ? (
          <>
            since <bdi>{nameCheck(subject.check)}</bdi> was healthy
          </>
        ) : (
          `in the last ${period === undefined ? '7 days' : PERIOD_WORDS[period]}`
        )
      }
      tools={
        <>
          <Select
            size="xs"
            aria-label="Curve"
            allowDeselect={false}
            data={Array.from(subjects, ([value, one]) => ({ value, label: nameOf(one) }))}
            value={key}
            onChange={(next) => setChosen(next ?? undefined)}
          />
          <Select
            size="xs"
            w={130}
            aria-label="Period"
            allowDeselect={false}
            data={[
              ...('check' in subject ? [{ value: SINCE_HEALTHY, label: 'Since healthy' }] : []),
              { value: 'hour', label: 'Last hour' },
              { value: 'day', label: 'Last day' },
              { value: 'week', label: 'Last 7 days' },
            ]}
            value={period ?? ('check' in subject ? SINCE_HEALTHY : 'week')}
            // The other values are periods.
            onChange={(next) => setPeriod(next === SINCE_HEALTHY ? undefined : (next as Period))}
          />
        </>
      }
    >
      <Changes key={key} agent={agent} subject={subject} period={period} />
    </Section>
  )
}

const SINCE_HEALTHY = 'healthy'
const PERIOD_WORDS: Record<Period, string> = { hour: 'hour', day: 'day', week: '7 days' }

const nameOf = (subject: Subject) =>
  'check' in subject ? nameCheck(subject.check) : subject.metric === 'cpu' ? 'CPU' : 'Memory'

/** The changes of the period, or since the subject was healthy, the oldest first. */
function useChanges(agentId: string, subject: Subject, period: Period | undefined) {
  const since = 'check' in subject ? subject.check.check_result.failing_since : null
  const options = queryOptions({
    queryKey: [...queryKey(listMachineChanges), { params: { agent_id: agentId }, since, period }] as const,
    queryFn: async ({ signal }) => {
      const range = rangeSince(subject, period)
      const asked = { params: { agent_id: agentId }, query: { from: range.from, limit: 50 } }
      const { changes, next } = await call(listMachineChanges, asked, { signal })
      return { range, changes: changes.toReversed(), isCut: next !== null }
    },
  })
  return useQuery({
    ...options,
    refetchInterval: MOVE_MS,
    placeholderData: keepPreviousData,
    meta: { quiet: true },
  })
}

interface ChangesProps {
  agent: AgentDetail
  subject: Subject
  period: Period | undefined
}

function Changes({ agent, subject, period }: ChangesProps) {
  const { data } = useChanges(agent.agent_id, subject, period)
  const [showsAll, setShowsAll] = useState(false)
  const { setPane } = usePane()
  const open = useOpenEntry()
  const check = 'check' in subject ? subject.check : undefined
  const forecast = useForecast(check, check && thresholdsOf(check.settings, agent)[0])
  if (data === undefined) return <div style={{ height: GRAPH_PX }} />
  const { changes, isCut } = data
  const range = withForecast(data.range, forecast)
  const shown = showsAll ? changes : changes.slice(0, FIRST_SHOWN)
  return (
    <div className={classes.changed}>
      <div className={classes.curve}>
        <div className={classes.markers} aria-hidden>
          {markersOf(changes, range).map(({ label, left, first }) => (
            <button
              key={label}
              type="button"
              tabIndex={-1}
              className={classes.marker}
              style={{ left: `${left}%` }}
              onClick={() => open(first)}
            >
              {label}
            </button>
          ))}
        </div>
        <Suspense fallback={<div style={{ height: GRAPH_PX }} />}>
          {'check' in subject ? (
            <CheckCurve agent={agent} check={subject.check} range={data.range} forecast={forecast} />
          ) : (
            <MetricCurve agentId={agent.agent_id} metric={subject.metric} range={data.range} />
          )}
        </Suspense>
      </div>
      <div>
        {changes.length === 0 && <p className={summary.dim}>No known changes.</p>}
        <ol className={classes.list}>
          {shown.map((change, index) => (
            <ChangeLine
              key={`${change.kind} ${change.id ?? ''} ${change.from} ${change.text}`}
              change={change}
              number={index + 1}
            />
          ))}
        </ol>
        {changes.length > shown.length && (
          <button type="button" className={section.link} onClick={() => setShowsAll(true)}>
            Show {changes.length - shown.length} more
          </button>
        )}
        {isCut && (
          <button
            type="button"
            className={section.link}
            onClick={() =>
              setPane('metrics', writeView({ range: data.range, series: undefined, asTable: false }))
            }
          >
            All events
          </button>
        )}
      </div>
    </div>
  )
}

function ChangeLine({ change, number }: { change: TimelineEntry; number: number }) {
  const open = useOpenEntry()
  const { icon: KindIcon } = EVENT_KINDS[change.kind]
  const text = <bdi>{describeChange(change)}</bdi>
  return (
    <li className={classes.change}>
      <span className={classes.number}>{number}</span>
      <KindIcon size={16} stroke={1.75} aria-hidden className="dim-icon" />
      <div className={classes.words}>
        {change.id === null ? (
          text
        ) : (
          <button type="button" className={section.word} onClick={() => open(change)}>
            {text}
          </button>
        )}
        <div className={classes.when}>
          <Time instant={change.from} />
          {change.by !== '' && (
            <>
              , by <bdi>{change.by}</bdi>
            </>
          )}
        </div>
      </div>
    </li>
  )
}

interface CheckCurveProps {
  agent: AgentDetail
  check: Check
  range: TimeRange
  forecast: GraphForecast | undefined
}

function CheckCurve({ agent, check, range, forecast }: CheckCurveProps) {
  const { id } = check
  const options = queryOptions({
    queryKey: [...queryKey(getCheckSamples), { params: { id }, range }] as const,
    queryFn: ({ signal }) => call(getCheckSamples, { params: { id }, query: range }, { signal }),
  })
  const { data } = useQuery({ ...options, placeholderData: keepPreviousData, meta: { quiet: true } })
  const first = data?.series[0]
  if (data === undefined) return <div style={{ height: GRAPH_PX }} />
  if (first === undefined) return <p className={summary.dim}>This check measures no numbers.</p>
  return (
    <CheckGraph
      label={`${seriesLabel(first.name)} of ${nameCheck(check)}`}
      isDisk={isDiskSeries(first.name)}
      points={first.points}
      unit={first.unit}
      stepSeconds={usualStep(first.points, Math.max(data.resolution, 60))}
      isMean={data.resolution > 0}
      range={withForecast(range, forecast)}
      forecast={forecast}
      height={GRAPH_PX}
      failures={data.failures}
      maintenance={data.maintenance}
      thresholds={thresholdsOf(check.settings, agent).find(({ series }) => series === first.name)}
      hasHint={false}
    />
  )
}

interface MetricCurveProps {
  agentId: string
  metric: 'cpu' | 'memory'
  range: TimeRange
}

function MetricCurve({ agentId, metric, range }: MetricCurveProps) {
  const options = queryOptions({
    queryKey: [...queryKey(getMachineMetrics), { params: { agent_id: agentId }, range }] as const,
    queryFn: ({ signal }) =>
      call(getMachineMetrics, { params: { agent_id: agentId }, query: range }, { signal }),
  })
  const { data } = useQuery({ ...options, placeholderData: keepPreviousData, meta: { quiet: true } })
  if (data === undefined) return <div style={{ height: GRAPH_PX }} />
  const series = data.series.find(({ name }) => name === metric)
  if (series === undefined || series.points.length === 0)
    return <p className={summary.dim}>No values in this period.</p>
  return (
    <CheckGraph
      label={`${metric === 'cpu' ? 'CPU' : 'Memory'} over time`}
      points={series.points}
      unit={series.unit}
      stepSeconds={usualStep(series.points, Math.max(data.resolution, 60))}
      isMean={data.resolution > 0}
      range={range}
      height={GRAPH_PX}
      failures={[]}
      maintenance={[]}
      thresholds={undefined}
      hasHint={false}
    />
  )
}
