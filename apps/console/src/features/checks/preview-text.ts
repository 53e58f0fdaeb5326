import { formatDuration } from '@muster/rules/text/units'
import type { previewThresholds } from '@muster/rules/checks/thresholds'
import type { CheckForm } from './check-form.ts'

const DAY = 86_400
type Preview = Pick<ReturnType<typeof previewThresholds>, 'alerts' | 'errorSeconds' | 'warningSeconds'>

/** `Last 30 days: 4 alerts, 2 h 10 min in error, 1 h in warning`. */
export function describePreview(
  { alerts, errorSeconds, warningSeconds }: Preview,
  seconds: number,
  isInSentence: boolean,
): string {
  const time =
    seconds >= 2 * DAY
      ? `${Math.round(seconds / DAY)} days`
      : formatDuration(Math.max(60, Math.round(seconds / 60) * 60))
  const many = alerts === 0 ? 'no alerts' : `${alerts} ${alerts === 1 ? 'alert' : 'alerts'}`
  const parts = [
    many,
    ...(errorSeconds > 0 ? [`${formatDuration(errorSeconds)} in error`] : []),
    ...(warningSeconds > 0 ? [`${formatDuration(warningSeconds)} in warning`] : []),
  ]
  return `${isInSentence ? 'last' : 'Last'} ${time}: ${parts.join(', ')}`
}

interface Measurement {
  /** Unit of the thresholds: `%`. */
  unit: string
  /** The check fails below its thresholds. */
  reverse: boolean
  /** Seconds between runs where the check has no interval of its own; null = each machine's own. */
  usualInterval: number | null
}

/** `Warns after 10 min above 70 %, fails after 10 min above 90 %.` Empty without a threshold. */
export function describeThresholds(form: CheckForm, { unit, reverse, usualInterval }: Measurement): string {
  const { warning_threshold: warning, error_threshold: error, fails_b4_alert: failures } = form
  const interval = Number(form.run_interval) || usualInterval
  const count = Number(failures)
  const wait = interval === null ? `${count} results in a row` : formatDuration(count * interval)
  const after = count > 1 ? ` after ${wait}` : ''
  const parts = [
    { word: 'warns', threshold: warning },
    { word: 'fails', threshold: error },
  ]
    .filter(({ threshold }) => typeof threshold === 'number' && threshold > 0)
    .map(
      ({ word, threshold }) => `${word}${after} ${reverse ? 'below' : 'above'} ${String(threshold)} ${unit}`,
    )
  const words = parts.join(', ')
  return words === '' ? '' : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}
