/** Days before expiry from which the header warns. */
const WARN_DAYS = 15

/** The header's warning about the server's certificate; none while it is valid or absent. */
export function certificateWarning(daysLeft: number | null | undefined): string | undefined {
  if (daysLeft === undefined || daysLeft === null || daysLeft > WARN_DAYS) return undefined
  if (daysLeft < 0) return 'Certificate expired'
  if (daysLeft === 0) return 'Certificate expires today'
  return `Certificate: ${daysLeft} ${daysLeft === 1 ? 'day' : 'days'} left`
}
