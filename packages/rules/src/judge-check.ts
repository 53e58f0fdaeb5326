import { formatDuration } from './duration.ts'
import { type EntriesToJudge, type FoundEntries, judgeEntries } from './judge-entries.ts'
import {
  judgeDns,
  judgeHttp,
  judgeTcp,
  type ServerCheckToJudge,
  type ServerMeasuredValues,
} from './judge-server-check.ts'
import {
  compare,
  fail,
  firstLine,
  type Judgement,
  pass,
  round,
  type Severity,
  type ThresholdPair,
  worstOf,
} from './judgement.ts'

/** Decides from what a machine measured whether a check passes. */

export type CheckToJudge =
  | ServerCheckToJudge
  | ({ check_type: 'diskspace'; disk: string; threshold_unit: DiskUnit } & ThresholdPair)
  | ({ check_type: 'cpuload' } & ThresholdPair)
  | ({ check_type: 'memory'; memory_kind: 'memory' | 'swap' } & ThresholdPair)
  | { check_type: 'ping'; alert_severity: Severity }
  | {
      check_type: 'service'
      svc_name: string
      pass_if_start_pending: boolean
      pass_if_svc_not_exist: boolean
      alert_severity: Severity
    }
  | {
      check_type: 'script'
      info_return_codes: readonly number[]
      warning_return_codes: readonly number[]
      success_return_codes: readonly number[]
      /** Thresholds of the metrics that the script prints, by name. */
      metric_thresholds: readonly MetricThreshold[]
    }
  | {
      check_type: 'process'
      process_name: string
      expect: 'running' | 'not_running'
      /** Absent of a check that was stored before they were asked for: at least one, and any number. */
      min_count?: number
      /** 0 = any. */
      max_count?: number
      /** Megabytes of all of them together; 0 = any. */
      max_memory_mb: number
      alert_severity: Severity
    }
  | {
      check_type: 'file'
      path: string
      expect: 'exists' | 'missing'
      /** 0 = any. */
      max_age_minutes: number
      max_size_mb: number
      alert_severity: Severity
    }
  | ({ check_type: 'eventlog'; search_last_days: number } & EntriesToJudge)
  | ({ check_type: 'journal'; search_last_minutes: number } & EntriesToJudge)
export type DiskUnit = 'percent' | 'gigabytes' | 'inodes'
export interface MetricThreshold extends ThresholdPair {
  name: string
  /** The number counts down: what is below fails. */
  reverse: boolean
}

export type MeasuredValues =
  | ServerMeasuredValues
  | { check_type: 'unmeasurable'; reason: string }
  | {
      check_type: 'diskspace'
      exists: boolean
      total_bytes: number
      free_bytes: number
      inodes_total: number | null
      inodes_free: number | null
    }
  | { check_type: 'cpuload'; percent: number }
  | { check_type: 'memory'; percent: number; total_bytes: number; swap_percent: number | null }
  | { check_type: 'ping'; sent: number; received: number; ms: number | null; output?: string }
  | {
      check_type: 'service'
      state: 'running' | 'start_pending' | 'stopped' | 'failed' | 'missing'
      restarted: boolean
    }
  | {
      check_type: 'script'
      outcome: 'exited' | 'timed_out' | 'failed'
      retcode: number | null
      stdout: string
      stderr: string
      metrics: readonly { name: string; value: number; unit: string }[]
    }
  | { check_type: 'process'; count: number; memory_bytes: number }
  | { check_type: 'file'; exists: boolean; size_bytes: number; age_seconds: number }
  | ({ check_type: 'eventlog' } & FoundEntries)
  | ({ check_type: 'journal' } & FoundEntries)

/** The verdict on what was measured by a check of the same type. Of another type: it could not be measured. */
export function judgeCheck(check: CheckToJudge, measured: MeasuredValues): Judgement {
  if (measured.check_type === 'unmeasurable') return fail('error', measured.reason)
  const judge = judges[check.check_type] as (check: CheckToJudge, measured: MeasuredValues) => Judgement
  if (measured.check_type !== check.check_type) return fail('error', 'The machine measured something else.')
  return judge(check, measured)
}

type Judges = {
  [Type in CheckToJudge['check_type']]: (
    check: Extract<CheckToJudge, { check_type: Type }>,
    measured: Extract<MeasuredValues, { check_type: Type }>,
  ) => Judgement
}
const MB = 1024 ** 2
const GB = 1024 ** 3

const judges: Judges = {
  diskspace(check, measured) {
    if (!measured.exists) return fail('error', `There is no disk ${check.disk}.`)
    const left = diskLeft(check.threshold_unit, measured)
    if (left === undefined) return fail('error', `${check.disk} counts no inodes.`)
    const free = formatGb(measured.free_bytes)
    const total = formatGb(measured.total_bytes)
    const info =
      check.threshold_unit === 'inodes'
        ? `${round(left)} % of the inodes are free`
        : `${free} of ${total} free (${round(percentOf(measured.free_bytes, measured.total_bytes))} %)`
    return compare({ ...check, reverse: true }, left, info)
  },
  cpuload: (check, { percent }) =>
    compare({ ...check, reverse: false }, percent, `${round(percent)} % in use on average`),
  memory(check, { percent, total_bytes, swap_percent }) {
    if (check.memory_kind === 'memory') {
      const info = `${round(percent)} % of ${formatGb(total_bytes)} in use`
      return compare({ ...check, reverse: false }, percent, info)
    }
    if (swap_percent === null) return pass('There is no swap.')
    return compare({ ...check, reverse: false }, swap_percent, `${round(swap_percent)} % of the swap in use`)
  },
  ping(check, { sent, received, ms, output = '' }) {
    if (sent === 0) return fail(check.alert_severity, firstLine(output) ?? 'No packet could be sent.')
    const time = ms === null ? '' : `, ${round(ms)} ms on average`
    const info = `${received} of ${sent} packets came back${time}`
    return received < sent ? fail(check.alert_severity, info) : pass(info)
  },
  service(check, { state, restarted }) {
    const words = {
      running: 'runs',
      start_pending: 'is starting',
      stopped: 'is stopped',
      failed: 'has failed',
    }
    const info =
      state === 'missing'
        ? `There is no service ${check.svc_name}.`
        : `${check.svc_name} ${words[state]}${restarted ? ', after it was started again' : ''}`
    const passes =
      state === 'running' ||
      (state === 'start_pending' && check.pass_if_start_pending) ||
      (state === 'missing' && check.pass_if_svc_not_exist)
    return passes ? pass(info) : fail(check.alert_severity, info)
  },
  script(check, measured) {
    const words = firstLine(measured.stdout) ?? firstLine(measured.stderr) ?? 'No output'
    if (measured.outcome === 'timed_out') return fail('error', 'The script ran longer than its time limit.')
    if (measured.outcome === 'failed' || measured.retcode === null) return fail('error', words)
    const byCode = judgeExit(check, measured.retcode, words)
    const byMetric = measured.metrics.flatMap(({ name, value, unit }) => {
      const threshold = check.metric_thresholds.find((one) => one.name === name)
      return threshold ? [compare(threshold, value, `${name} is ${round(value)}${unit && ` ${unit}`}`)] : []
    })
    return worstOf(byCode, ...byMetric)
  },
  process(check, { count, memory_bytes }) {
    const many = `${count} ${count === 1 ? 'process' : 'processes'} named ${check.process_name}`
    const info =
      count === 0 ? `No process named ${check.process_name}` : `${many}, ${round(memory_bytes / MB)} MB`
    if (check.expect === 'not_running') return count === 0 ? pass(info) : fail(check.alert_severity, info)
    const { min_count: least = 1, max_count: most = 0, max_memory_mb } = check
    const isTooLarge = max_memory_mb > 0 && memory_bytes > max_memory_mb * MB
    const isMany = most > 0 && count > most
    return count < least || isMany || isTooLarge ? fail(check.alert_severity, info) : pass(info)
  },
  file(check, { exists, size_bytes, age_seconds }) {
    const info = exists
      ? `${round(size_bytes / MB)} MB, changed ${formatDuration(Math.max(0, age_seconds))} ago`
      : `There is no ${check.path}`
    if (check.expect === 'missing') return exists ? fail(check.alert_severity, info) : pass(info)
    const isTooOld = check.max_age_minutes > 0 && age_seconds > check.max_age_minutes * 60
    const isTooLarge = check.max_size_mb > 0 && size_bytes > check.max_size_mb * MB
    return !exists || isTooOld || isTooLarge ? fail(check.alert_severity, info) : pass(info)
  },
  eventlog(check, found) {
    const { search_last_days: days } = check
    return judgeEntries(check, found, days === 0 ? 'in the whole log' : `in the last ${days} d`)
  },
  journal: (check, found) =>
    judgeEntries(check, found, `in the last ${formatDuration(check.search_last_minutes * 60)}`),
  http: judgeHttp,
  tcp: judgeTcp,
  dns: judgeDns,
}

/** What is left on a disk in the unit of its thresholds; undefined where inodes are not counted. */
export function diskLeft(
  unit: DiskUnit,
  measured: Omit<Extract<MeasuredValues, { check_type: 'diskspace' }>, 'check_type' | 'exists'>,
): number | undefined {
  if (unit === 'gigabytes') return measured.free_bytes / GB
  if (unit === 'percent') return percentOf(measured.free_bytes, measured.total_bytes)
  const { inodes_total, inodes_free } = measured
  return inodes_total === null || inodes_free === null ? undefined : percentOf(inodes_free, inodes_total)
}

/** Success, warning and info codes as they are listed; of the others 0 passes. */
function judgeExit(
  codes: Extract<CheckToJudge, { check_type: 'script' }>,
  retcode: number,
  words: string,
): Judgement {
  if (codes.info_return_codes.includes(retcode)) return fail('info', words)
  if (codes.warning_return_codes.includes(retcode)) return fail('warning', words)
  return retcode === 0 || codes.success_return_codes.includes(retcode) ? pass(words) : fail('error', words)
}

const percentOf = (part: number, whole: number) => (whole === 0 ? 0 : (part / whole) * 100)
const formatGb = (bytes: number) => `${round(bytes / GB)} GB`
