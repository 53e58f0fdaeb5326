/** How long the message is shown as a toast; beside the field it stays. */
export const THRESHOLD_MESSAGE_MS = 2000

export type Thresholds = {
  /** 0 = not set. */
  warning: number
  /** 0 = not set. */
  error: number
  /** Free space (percent): the warning threshold is the larger one. */
  reverse?: boolean
}

/** The message for a pair of thresholds that cannot work; undefined if it can. */
export function validateThresholds({ warning, error, reverse = false }: Thresholds): string | undefined {
  const warningSet = warning > 0
  const errorSet = error > 0
  if (!warningSet && !errorSet) return 'Warning Threshold or Error Threshold need to be set'
  if (!warningSet || !errorSet) return undefined
  if (reverse) return warning > error ? undefined : 'Warning Threshold must be more than Error Threshold'
  return warning < error ? undefined : 'Warning Threshold must be less than Error Threshold'
}
