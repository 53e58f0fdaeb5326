import {
  type CheckRule,
  compare,
  fail,
  firstLine,
  type Judgement,
  METRIC_PREFIX,
  pass,
  round,
  type ThresholdPair,
  worstOf,
} from './judgement.ts'

interface ExitCodes {
  info_return_codes: readonly number[]
  warning_return_codes: readonly number[]
  success_return_codes: readonly number[]
}
interface MetricThreshold extends ThresholdPair {
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
}

export const script: CheckRule<ScriptCheck, ScriptEnd> = {
  judge(check, measured) {
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
  series: ({ retcode, metrics }) => [
    ...(retcode === null ? [] : [{ name: 'retcode', value: retcode, unit: '' }]),
    ...metrics.map(({ name, value, unit }) => ({ name: METRIC_PREFIX + name, value, unit })),
  ],
}

/** Success, warning and info codes as configured; otherwise 0 passes. */
function judgeExit(codes: ExitCodes, retcode: number, words: string): Judgement {
  if (codes.info_return_codes.includes(retcode)) return fail('info', words)
  if (codes.warning_return_codes.includes(retcode)) return fail('warning', words)
  return retcode === 0 || codes.success_return_codes.includes(retcode) ? pass(words) : fail('error', words)
}
