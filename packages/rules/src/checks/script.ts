import {
  type CheckRule,
  compareLimits,
  compareNothing,
  fail,
  firstLine,
  type Judgement,
  type Limits,
  METRIC_PREFIX,
  pass,
  round,
  roundBeside,
  shorten,
  worstOf,
} from './judgement.ts'
import { shownLine } from '../text/escape-sequences.ts'

interface ExitCodes {
  info_return_codes: readonly number[]
  warning_return_codes: readonly number[]
  success_return_codes: readonly number[]
}
interface MetricThreshold extends Limits {
  name: string
  /** Values below the threshold fail. */
  reverse: boolean
}
interface ScriptCheck extends ExitCodes {
  /** Thresholds of the script's metrics, by name. */
  metric_thresholds: readonly MetricThreshold[]
}
interface ScriptEnd {
  outcome: 'exited' | 'timed_out' | 'failed'
  retcode: number | null
  stdout: string
  stderr: string
  metrics: readonly { name: string; value: number; unit: string }[]
  /** Lines that begin as a metric and are none. Older agents do not report them. */
  bad_metric_lines?: readonly { line: number; text: string }[] | undefined
}
/** As in the contract: the agent reports no further ones. */
const MAX_METRICS = 20

export const script: CheckRule<ScriptCheck, ScriptEnd> = {
  judge(check, measured) {
    if (measured.outcome === 'timed_out') return fail('error', 'The script ran longer than its time limit.')
    const { outcome, retcode } = measured
    if (outcome === 'failed' || retcode === null) return fail('error', whyEnded(measured))
    const byCode = judgeExit(check, retcode, wordsOf(measured, retcode))
    const byMetric = check.metric_thresholds.map((threshold) => judgeMetric(threshold, measured))
    return worstOf(byCode, ...byMetric)
  },
  series: ({ retcode, metrics }) => [
    ...(retcode === null ? [] : [{ name: 'retcode', value: retcode, unit: '' }]),
    ...metrics.map(({ name, value, unit }) => ({ name: METRIC_PREFIX + name, value, unit })),
  ],
}

/** The agent ends the errors of such a script with the reason. */
function whyEnded({ stdout, stderr }: ScriptEnd): string {
  const reason = shownLine(stderr.trimEnd().split('\n').at(-1) ?? '').slice(0, 200)
  return reason === '' ? (firstLine(stdout) ?? 'The script did not come to its end.') : reason
}

/** The script's first own line. What a silent script did is said for it, because alerts show nothing else. */
function wordsOf(end: ScriptEnd, retcode: number): string {
  const words = firstLine(end.stdout) ?? firstLine(end.stderr)
  const [bad] = end.bad_metric_lines ?? []
  if (words !== undefined) return bad === undefined ? words : `${words} (${describeBad(bad)})`
  if (bad !== undefined) return `Exit code ${retcode}, ${describeBad(bad)}`
  const metrics = end.metrics.slice(0, MAX_SHOWN_METRICS).map((metric) => describeMetric(metric))
  return `Exit code ${retcode}, ${metrics.length === 0 ? 'no output' : metrics.join(', ')}`
}

function judgeMetric(threshold: MetricThreshold, { metrics, bad_metric_lines = [] }: ScriptEnd): Judgement {
  const { name } = threshold
  const metric = metrics.find((one) => one.name === name)
  if (metric !== undefined) {
    return compareLimits(
      threshold,
      metric.value,
      describeMetric(metric, roundBeside(threshold, metric.value)),
    )
  }
  const nothing = (why: string) => compareNothing(threshold, `${name} has no value${why}`)
  const bad = bad_metric_lines.find(({ text }) => text.startsWith(`metric ${name}`)) ?? bad_metric_lines[0]
  if (bad !== undefined)
    return nothing(`: ${describeBad(bad)}. Use a decimal point, and nothing but a unit after the number.`)
  if (metrics.length >= MAX_METRICS) return nothing(`: only the first ${MAX_METRICS} metrics are read.`)
  return nothing(`. Let the script print a line "metric ${name}=VALUE".`)
}

const MAX_SHOWN_METRICS = 3
const describeMetric = ({ name, value, unit }: ScriptEnd['metrics'][number], shown: number = round(value)) =>
  `${name} is ${shown}${unit && ` ${unit}`}`
const describeBad = ({ line, text }: { line: number; text: string }) =>
  `line ${line} is no metric: "${shorten(text)}"`

/** Success, warning and info codes as configured; otherwise 0 passes. */
function judgeExit(codes: ExitCodes, retcode: number, words: string): Judgement {
  if (codes.info_return_codes.includes(retcode)) return fail('info', words)
  if (codes.warning_return_codes.includes(retcode)) return fail('warning', words)
  return retcode === 0 || codes.success_return_codes.includes(retcode) ? pass(words) : fail('error', words)
}
