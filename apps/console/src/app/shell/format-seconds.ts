/** A short duration: `4 ms`, `0.4 s`, `12 s`. */
export function formatSeconds(ms: number): string {
  if (ms < 95) return `${Math.max(1, Math.round(ms))} ms`
  return ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`
}

/** An age for a sentence: `12 seconds`, `1 minute`, `3 hours`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return withUnit(seconds, 'second')
  if (seconds < 3_600) return withUnit(Math.floor(seconds / 60), 'minute')
  return withUnit(Math.floor(seconds / 3_600), 'hour')
}

const withUnit = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`
