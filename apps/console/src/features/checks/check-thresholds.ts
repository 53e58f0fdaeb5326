import type { AgentDetail } from '@muster/contract/api/agents'
import type { CheckSettings } from '@muster/contract/api/checks'
import { usableSpace } from '@muster/rules/agents/disk-shares'
import { type Limits, limitsOf, METRIC_PREFIX } from '@muster/rules/checks/judgement'

/** Thresholds of a number of a check, in the stored unit of that number. */
export interface SeriesThresholds extends Limits {
  series: string
  /** Values below the threshold fail. */
  reverse: boolean
  /** How much of the series' unit one unit of the form is: percent per gigabyte; else 1. */
  perUnit: number
}

const GB = 1024 ** 3

/** The thresholds of a check, by their number. */
export function thresholdsOf(
  settings: CheckSettings,
  agent: Pick<AgentDetail, 'facts'> | undefined,
): SeriesThresholds[] {
  switch (settings.check_type) {
    case 'cpuload':
      return [{ ...limitsOf(settings), series: 'percent', reverse: false, perUnit: 1 }]
    case 'memory':
      return [
        {
          ...limitsOf(settings),
          series: settings.memory_kind === 'swap' ? 'swap_percent' : 'percent',
          reverse: false,
          perUnit: 1,
        },
      ]
    case 'diskspace':
      return diskThresholds(settings, agent)
    case 'script':
      return settings.metric_thresholds.map((metric) => ({
        warning_threshold: metric.warning_threshold,
        error_threshold: metric.error_threshold,
        series: METRIC_PREFIX + metric.name,
        reverse: metric.reverse,
        perUnit: 1,
      }))
    case 'http':
      return [
        ...answerTime(settings),
        ...(settings.ignore_certificate
          ? []
          : [
              {
                series: 'cert_days',
                ...limitsOf({
                  warning_threshold: settings.cert_warning_days,
                  error_threshold: settings.cert_error_days,
                }),
                reverse: true,
                perUnit: 1,
              },
            ]),
      ]
    case 'tcp':
      return answerTime(settings)
    default:
      return []
  }
}

// Free space is stored as a percentage; gigabytes are converted by the usable space of the disk, if known.
function diskThresholds(
  settings: Extract<CheckSettings, { check_type: 'diskspace' }>,
  agent: Pick<AgentDetail, 'facts'> | undefined,
): SeriesThresholds[] {
  const pair = limitsOf(settings)
  if (settings.threshold_unit === 'inodes')
    return [{ ...pair, series: 'inodes_free_percent', reverse: true, perUnit: 1 }]
  if (settings.threshold_unit === 'percent')
    return [{ ...pair, series: 'free_percent', reverse: true, perUnit: 1 }]
  const disk = agent?.facts?.disks.find(({ mount, device }) => [mount, device].includes(settings.disk))
  if (disk === undefined || usableSpace(disk) === 0) return []
  const perUnit = (GB * 100) / usableSpace(disk)
  return [
    {
      series: 'free_percent',
      warning_threshold: pair.warning_threshold === null ? null : pair.warning_threshold * perUnit,
      error_threshold: pair.error_threshold === null ? null : pair.error_threshold * perUnit,
      reverse: true,
      perUnit,
    },
  ]
}

const answerTime = (settings: Parameters<typeof limitsOf>[0]): SeriesThresholds[] => [
  { ...limitsOf(settings), series: 'ms', reverse: false, perUnit: 1 },
]
