import type { ToldRow } from '../channels/notice-queries.ts'

/** What a script may want to know of the alert: values, never parts of a command line. */
export function factsOf(alert: ToldRow): Record<string, string> {
  return {
    id: `${alert.id}`,
    type: alert.alert_type,
    state: alert.state,
    severity: alert.severity,
    time: alert.alert_time,
    message: alert.message.replaceAll('\0', ''),
  }
}

/** The same as KEY=VALUE. */
export function alertVariables(alert: ToldRow): string[] {
  return Object.entries(factsOf(alert)).map(([name, value]) => `MUSTER_ALERT_${name.toUpperCase()}=${value}`)
}
