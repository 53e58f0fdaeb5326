const TIME_PERIOD = /^(\d{1,3})([smhd])$/i
const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Seconds of a period such as `90s`, `5m`, `12H` or `1d`; 0 and a log line if it is invalid. */
export function parseTimePeriod(text: string, onInvalid: (message: string) => void = logError): number {
  const [, digits = '', unit = ''] = TIME_PERIOD.exec(text) ?? []
  const unitSeconds = UNIT_SECONDS[unit.toLowerCase()]
  if (unitSeconds === undefined) {
    onInvalid('Time Period is invalid')
    return 0
  }
  return Number(digits) * unitSeconds
}

function logError(message: string): void {
  // eslint-disable-next-line no-console -- the spec asks for a logged line, and rules know no other log.
  console.error(message)
}
