/** A duration in its two largest units: `2 h 10 min`, `1.5 s`, `80 ms`; empty for an invalid one. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return ''
  const ms = Math.round(seconds * 1000)
  if (ms < 1000) return ms === 0 ? '0 s' : `${ms} ms`
  const tenths = Math.round(seconds * 10)
  if (tenths < 100) return `${tenths / 10} s`
  const wholeSeconds = Math.round(seconds)
  if (wholeSeconds < HOUR) return join(wholeSeconds, { size: MINUTE, name: 'min' }, { size: 1, name: 's' })
  const wholeMinutes = Math.round(seconds / MINUTE)
  if (wholeMinutes * MINUTE < DAY) {
    return join(wholeMinutes * MINUTE, { size: HOUR, name: 'h' }, { size: MINUTE, name: 'min' })
  }
  return join(Math.round(seconds / HOUR) * HOUR, { size: DAY, name: 'd' }, { size: HOUR, name: 'h' })
}

type Unit = { size: number; name: string }
const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

function join(seconds: number, large: Unit, small: Unit): string {
  const counts = [
    { count: Math.floor(seconds / large.size), name: large.name },
    { count: (seconds % large.size) / small.size, name: small.name },
  ]
  return counts
    .filter(({ count }) => count > 0)
    .map(({ count, name }) => `${count} ${name}`)
    .join(' ')
}
