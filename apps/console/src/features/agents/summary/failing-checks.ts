import type { Check, CheckSettings } from '@muster/contract/api/checks'
import type { Severity } from '@muster/contract/fields'
import { checkStateOf } from '@muster/rules/checks/check-freshness'
import { METRIC_PREFIX } from '@muster/rules/checks/judgement'

const RANK: Record<Severity, number> = { error: 0, warning: 1, info: 2 }

export const severityOf = ({ check_result }: Pick<Check, 'check_result'>): Severity =>
  check_result.alert_severity ?? 'error'

/** Failing checks, the worst first, then the longest failing. */
export function findFailing(checks: readonly Check[], nowMs: number): Check[] {
  const sinceOf = ({ check_result: { failing_since } }: Check) =>
    failing_since === null ? nowMs : Date.parse(failing_since)
  return checks
    .filter((check) => !check.overridden_by_policy && checkStateOf(check.check_result, nowMs) === 'failing')
    .toSorted((a, b) => RANK[severityOf(a)] - RANK[severityOf(b)] || sinceOf(a) - sinceOf(b) || a.id - b.id)
}

/** The condition under which a check fails, if it is one: `fails below 10 %`, `warns above 70 %`. */
export function describeThreshold({
  settings,
  check_result,
}: Pick<Check, 'settings' | 'check_result'>): string {
  const severity = check_result.alert_severity ?? 'error'
  const verb = severity === 'error' ? 'fails' : 'warns'
  switch (settings.check_type) {
    case 'cpuload':
    case 'memory':
      return `${verb} above ${thresholdOf(settings, severity)} %`
    case 'diskspace':
      return `${verb} below ${thresholdOf(settings, severity)} ${DISK_UNITS[settings.threshold_unit]}`
    case 'service':
      return `${verb} unless running`
    case 'process':
      return `${verb} ${settings.expect === 'running' ? 'unless running' : 'if running'}`
    case 'file':
      return `${verb} if ${describeFile(settings)}`
    case 'script':
      return describeScript(settings, verb)
    case 'ping':
    case 'tcp':
    case 'dns':
      return `${verb} without a response`
    case 'http':
      return `${verb} unless ${settings.expected_status.length === 0 ? '200 to 399' : settings.expected_status.join(', ')}`
    case 'eventlog':
    case 'journal': {
      const { fail_when, number_of_events_b4_alert: many } = settings
      return `${verb} ${fail_when === 'contains' ? 'from' : 'below'} ${many} matching ${many === 1 ? 'entry' : 'entries'}`
    }
  }
}

const DISK_UNITS = { percent: '%', gigabytes: 'GB', inodes: '% of inodes' }

const thresholdOf = (
  { warning_threshold, error_threshold }: { warning_threshold: number; error_threshold: number },
  severity: Severity,
) => (severity === 'error' ? error_threshold : warning_threshold)

function describeFile({
  expect,
  max_age_minutes,
  max_size_mb,
}: Extract<CheckSettings, { check_type: 'file' }>): string {
  if (expect === 'missing') return 'it exists'
  const limits = [
    ...(max_age_minutes > 0 ? [`older than ${max_age_minutes} min`] : []),
    ...(max_size_mb > 0 ? [`larger than ${max_size_mb} MB`] : []),
  ]
  return ['missing', ...limits].join(' or ')
}

function describeScript(
  { success_return_codes, metric_thresholds }: Extract<CheckSettings, { check_type: 'script' }>,
  verb: string,
): string {
  const codes = [0, ...success_return_codes.filter((code) => code !== 0)]
  const metrics = metric_thresholds.flatMap(({ name, reverse, warning_threshold, error_threshold }) => {
    const limit = verb === 'fails' ? error_threshold : warning_threshold
    const label = name.startsWith(METRIC_PREFIX) ? name.slice(METRIC_PREFIX.length) : name
    return limit === null ? [] : [`${label} ${reverse ? 'below' : 'above'} ${limit}`]
  })
  return [`${verb} unless exit code ${codes.join(', ')}`, ...metrics].join(', or ')
}
