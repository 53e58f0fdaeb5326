import type { AgentDetail } from '@muster/contract/api/agents'
import type { Check, CheckState, CheckType } from '@muster/contract/api/checks'
import { ServerCheckType } from '@muster/contract/checks/server-checks'
import { formatDuration, formatFileSize, formatShortAge } from '@muster/rules/text/units'
import { effectiveInterval, checkStateOf } from '@muster/rules/checks/check-freshness'
import { METRIC_PREFIX } from '@muster/rules/checks/judgement'

/** The types in menu order. */
export const TYPE_LABELS: Record<CheckType, string> = {
  diskspace: 'Disk space',
  cpuload: 'CPU load',
  memory: 'Memory',
  ping: 'Ping',
  service: 'Service',
  process: 'Process',
  file: 'File',
  eventlog: 'Event log',
  journal: 'Journal',
  script: 'Script',
  http: 'HTTP',
  tcp: 'TCP port',
  dns: 'DNS',
}

/** Whether the server measures it, not the machine. */
export const isFromServer = (type: CheckType) => ServerCheckType.safeParse(type).success

/** Whether a machine of this system can have such a check. */
export function isOfPlatform(type: CheckType, plat: AgentDetail['plat']): boolean {
  if (type === 'eventlog') return plat === 'windows'
  return type !== 'journal' || plat === 'linux'
}

export type CheckTone = 'positive' | 'negative' | 'warning' | 'unknown' | 'info' | 'dim'

const SEVERITY_TONES = { error: 'negative', warning: 'warning', info: 'info' } as const

type ShownState = Pick<CheckState, 'status' | 'alert_severity'> &
  Partial<Pick<CheckState, 'fresh_until' | 'last_run'>>

/** Text and tone of a check's state: `passing`, `failing · error`, `no results`, `old · 57 min`. */
export function describeStatus(state: ShownState, nowMs: number): { label: string; tone: CheckTone } {
  const { status, alert_severity, fresh_until = null, last_run = null } = state
  switch (checkStateOf({ status, fresh_until }, nowMs)) {
    case 'passing':
      return { label: 'passing', tone: 'positive' }
    case 'no_results':
      return { label: 'no results', tone: 'dim' }
    case 'not_measured':
      return { label: 'not measured', tone: 'unknown' }
    case 'old':
      return { label: `old${last_run === null ? '' : ` · ${ageOf(last_run, nowMs)}`}`, tone: 'dim' }
    case 'failing': {
      const severity = alert_severity ?? 'error'
      return { label: `failing · ${severity}`, tone: SEVERITY_TONES[severity] }
    }
  }
}

const ageOf = (instant: string, nowMs: number) => formatShortAge(nowMs - Date.parse(instant))

/** Name of the check that another one depends on: `Ping Router of GW-1`. */
export const dependencyName = ({ readable_desc, hostname }: NonNullable<Check['dependency']>) =>
  `${readable_desc} of ${hostname}`

/** The interval: `2 min`. 0 = the machine's own interval. */
export const intervalSeconds = effectiveInterval

export function describeInterval(check: Pick<Check, 'run_interval'>, usualSeconds: number): string {
  return formatDuration(intervalSeconds(check, usualSeconds))
}

const SERIES_LABELS: Record<string, string> = {
  free_percent: 'Free space',
  inodes_free_percent: 'Free inodes',
  percent: 'In use',
  swap_percent: 'Swap in use',
  ms: 'Response time',
  loss_percent: 'Packets lost',
  running: 'Running',
  retcode: 'Exit code',
  count: 'Processes',
  memory: 'Memory',
  size: 'Size',
  age: 'Age',
  entries: 'Matching entries',
  cert_days: 'Days until the certificate expires',
}

/** Label of a number of a check; scripts name theirs. */
export function seriesLabel(name: string): string {
  if (name.startsWith(METRIC_PREFIX)) return name.slice(METRIC_PREFIX.length)
  return SERIES_LABELS[name] ?? name
}

/** Whether a number of a check is the percentage of a disk that is free. */
export const isDiskSeries = (name: string) => name === 'free_percent' || name === 'inodes_free_percent'

/** An exact value with its unit. */
export function formatValue(value: number, unit: string): string {
  if (unit === 'B') return formatFileSize(value)
  if (unit === 'B/s') return `${formatFileSize(value)}/s`
  if (unit === 's') return formatDuration(value)
  const number = formatNumber(value)
  return unit === '' ? number : `${number} ${unit}`
}

/** At most two decimals; large numbers have none. */
function formatNumber(value: number): string {
  const decimals = Math.abs(value) >= 1000 ? 0 : 2
  return `${Number(value.toFixed(decimals))}`
}

const STATES = [
  ['failing', 'failing'],
  ['not_measured', 'not measured'],
  ['old', 'old'],
  ['no_results', 'without results'],
  ['passing', 'passing'],
] as const

/** `3 failing, 2 old, 1 without results, 8 passing`. */
export function countChecks(checks: readonly Check[], nowMs: number): string {
  const states = checks
    .filter(({ overridden_by_policy: rests }) => !rests)
    .map(({ check_result }) => checkStateOf(check_result, nowMs))
  return STATES.map(([state, word]) => ({
    word,
    many: states.filter((one) => one === state).length,
  }))
    .filter(({ many }) => many > 0)
    .map(({ word, many }) => `${many} ${word}`)
    .join(', ')
}
