/** Every time zone of this browser, UTC first. */
export function listTimeZones(): string[] {
  return [...new Set(['UTC', ownTimeZone(), ...Intl.supportedValuesOf('timeZone')])]
}

export const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
