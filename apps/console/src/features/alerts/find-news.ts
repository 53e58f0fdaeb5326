import type { Alert } from '@muster/contract/api/alerts'

/** More at once are one burst, of which the newest are shown. */
const MAX_AT_ONCE = 5

/**
 * Errors and warnings that were not in the last list. The first list has no news: the user sees it on opening the
 * console. Known alerts stay known, so that an alert whose snooze ends is not new.
 */
export function findNews(
  alerts: readonly Alert[],
  seen: ReadonlySet<number> | undefined,
): { news: Alert[]; known: ReadonlySet<number> } {
  const known = new Set([...(seen ?? []), ...alerts.map(({ id }) => id)])
  if (seen === undefined) return { news: [], known }
  const news = alerts
    .filter(({ id, severity, state }) => !seen.has(id) && severity !== 'info' && state === 'open')
    .toSorted((a, b) => b.alert_time.localeCompare(a.alert_time))
    .slice(0, MAX_AT_ONCE)
  return { news, known }
}
