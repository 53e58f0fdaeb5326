import { Select } from '@mantine/core'
import type { Alert } from '@muster/contract/api/alerts'
import { getAgent } from '@muster/contract/api/agents'
import type { Check } from '@muster/contract/api/checks'
import { nameCheck } from '@muster/rules/checks/check-name'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { query } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import { CheckGraph } from '../checks/CheckGraph.tsx'
import { isDiskSeries, seriesLabel } from '../checks/check-labels.ts'
import { thresholdsOf } from '../checks/check-thresholds.ts'
import { usualStep } from '../checks/graph-data.ts'
import { withForecast } from '../checks/graph-forecast.ts'
import { useForecast } from '../checks/use-forecast.ts'
import { useSamples } from '../checks/use-samples.ts'
import classes from './AlertPanel.module.css'
import { serverNow } from '../../ui/layout/server-clock.ts'

const RANGES = [
  { value: '24h', label: '24 hours', hours: 24 },
  { value: '7d', label: '7 days', hours: 7 * 24 },
  { value: '30d', label: '30 days', hours: 30 * 24 },
] as const
type RangeName = (typeof RANGES)[number]['value']
const HEIGHT_PX = { wide: 196, compact: 120 }
/** So much of the time before the alert is shown. */
const LEAD = 1.25

interface AlertCurveProps {
  alert: Pick<Alert, 'agent_id' | 'alert_time'>
  check: Check
  isCompact: boolean
}

/** The history of the check with its thresholds, from before the alert; absent where it measures no numbers. */
export function AlertCurve({ alert: { agent_id, alert_time }, check, isCompact }: AlertCurveProps) {
  const mayMachines = useMay('can_list_agents')
  const [chosen, setChosen] = useState<RangeName>()
  // Fixed, so that the range does not change while it is read.
  const [usual] = useState(() => usualRange((serverNow() - Date.parse(alert_time)) / 3_600_000))
  const { data: agent } = useQuery({
    ...query(getAgent, { params: { agent_id: agent_id ?? '' } }),
    enabled: agent_id !== null && mayMachines,
    meta: { quiet: true },
  })
  const { data } = useSamples(check.id, chosen ?? usual)
  const thresholds = agent === undefined ? [] : thresholdsOf(check.settings, agent)
  const forecast = useForecast(check, thresholds[0])
  const height = isCompact ? HEIGHT_PX.compact : HEIGHT_PX.wide
  if (data === undefined) return <div style={{ height }} />
  const first = data.series.find(({ name }) => name === thresholds[0]?.series) ?? data.series[0]
  if (first === undefined || first.points.length === 0) return null
  return (
    <section aria-label="History" className={classes.curve}>
      <div className={classes.curveHead}>
        <h3 className={classes.heading}>{seriesLabel(first.name)}</h3>
        {!isCompact && agent_id !== null && (
          <Link to="/agents/$agent_id" params={{ agent_id }} className={classes.blue}>
            What changed
          </Link>
        )}
        <Select
          size="xs"
          className={classes.range ?? ''}
          aria-label="Time range"
          allowDeselect={false}
          data={RANGES.map(({ value, label }) => ({ value, label }))}
          value={chosen ?? usual}
          onChange={(value) => setChosen(RANGES.find((range) => range.value === value)?.value)}
        />
      </div>
      <CheckGraph
        label={`${seriesLabel(first.name)} of ${nameCheck(check)}`}
        isDisk={isDiskSeries(first.name)}
        points={first.points}
        unit={first.unit}
        stepSeconds={usualStep(first.points, Math.max(data.resolution, 60))}
        isMean={data.resolution > 0}
        range={withForecast(data.range, forecast)}
        height={height}
        failures={data.failures}
        maintenance={data.maintenance}
        thresholds={thresholds.find(({ series }) => series === first.name)}
        forecast={forecast}
        hasHint={false}
      />
    </section>
  )
}

const usualRange = (hours: number): RangeName =>
  RANGES.find((range) => hours * LEAD <= range.hours)?.value ?? '30d'
