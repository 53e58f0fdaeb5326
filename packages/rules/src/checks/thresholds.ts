/** How long the message stays as a toast; beside the field it stays as text. */
export const THRESHOLD_MESSAGE_MS = 2000

export type Thresholds = {
  /** 0 = not set. */
  warning: number
  /** 0 = not set. */
  error: number
  /** The numbers count down (percent remaining): a warning comes at the larger one. */
  reverse?: boolean
}

/** The message for a pair of thresholds that cannot work, or undefined when it can (spec section 5). */
export function validateThresholds({ warning, error, reverse = false }: Thresholds): string | undefined {
  const warningSet = warning > 0
  const errorSet = error > 0
  if (!warningSet && !errorSet) return 'Warning Threshold or Error Threshold need to be set'
  if (!warningSet || !errorSet) return undefined
  if (reverse) return warning > error ? undefined : 'Warning Threshold must be more than Error Threshold'
  return warning < error ? undefined : 'Warning Threshold must be less than Error Threshold'
}
