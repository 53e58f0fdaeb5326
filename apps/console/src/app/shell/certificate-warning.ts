/** A certificate that ends this soon is worth a word. */
const WARN_DAYS = 15

/** What the header says of the server's certificate; nothing while it lasts, or where there is none. */
export function certificateWarning(daysLeft: number | null | undefined): string | undefined {
  if (daysLeft === undefined || daysLeft === null || daysLeft > WARN_DAYS) return undefined
  if (daysLeft < 0) return 'Certificate expired'
  if (daysLeft === 0) return 'Certificate expires today'
  return `Certificate: ${daysLeft} ${daysLeft === 1 ? 'day' : 'days'} left`
}
