import { formatDuration } from '@muster/rules/text/units'
import type { previewThresholds } from '@muster/rules/checks/thresholds'

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
