export type Severity = 'info' | 'warning' | 'error'
export interface Judgement {
  passing: boolean
  /** Null when it passes. */
  severity: Severity | null
  /** One line for display. */
  more_info: string
}

/** 0 = not set. */
export interface ThresholdPair {
  warning_threshold: number
  error_threshold: number
}
/** A value is beyond a threshold if it is greater, or less if `reverse` is set. */
export function severityOf(
  { warning_threshold, error_threshold, reverse }: ThresholdPair & { reverse: boolean },
  value: number,
): Severity | null {
  const isBeyond = (threshold: number) => threshold > 0 && (reverse ? value < threshold : value > threshold)
  if (isBeyond(error_threshold)) return 'error'
  return isBeyond(warning_threshold) ? 'warning' : null
}

export function compare(pair: ThresholdPair & { reverse: boolean }, value: number, info: string): Judgement {
  const severity = severityOf(pair, value)
  return severity === null ? pass(info) : fail(severity, info)
}

const SEVERITIES: readonly (Severity | null)[] = [null, 'info', 'warning', 'error']
const rank = ({ severity }: Judgement) => SEVERITIES.indexOf(severity)

/** The first of the most severe ones. */
export function worstOf(first: Judgement, ...others: Judgement[]): Judgement {
  return others.reduce((worst, one) => (rank(one) > rank(worst) ? one : worst), first)
}

export const pass = (more_info: string): Judgement => ({ passing: true, severity: null, more_info })
export const fail = (severity: Severity, more_info: string): Judgement => ({
  passing: false,
  severity,
  more_info,
})

/** Rounds for display. */
export const round = (value: number) => (value >= 100 ? Math.round(value) : Math.round(value * 10) / 10)

export function firstLine(text: string): string | undefined {
  const line = text.split('\n').find((one) => one.trim() !== '' && !one.startsWith('metric '))
  return line?.trim().slice(0, 200)
}
