import type { AlertCause } from '@muster/contract/api/alerts'
import type { Overview } from '@muster/contract/api/overview'
import { PART_SEARCHES } from '@muster/rules/agents/fleet-parts'

/** A part of the sentence, and what it opens. */
export type Problem = {
  count: number
  text: string
  tone: 'negative' | 'warning'
} & ({ search: string } | { cause: AlertCause } | { agent: string })

const MAX_PROBLEMS = 3
const DAY_MS = 86_400_000
const SOON_DAYS = 7
const MAX_NAME = 60

/** The worst problems first, at most three. Without any, the fleet needs nobody. */
export function listProblems(overview: Overview, nowMs: number): Problem[] {
  const { counts } = overview
  const all: Problem[] = [
    {
      count: counts.overdue,
      text: `${machines(counts.overdue)} overdue`,
      tone: 'negative',
      search: PART_SEARCHES.overdue,
    },
    ...describeFailing(overview),
    ...describeDisks(overview, nowMs),
    {
      count: counts.warning,
      text: `${machines(counts.warning)} with warnings`,
      tone: 'warning',
      search: PART_SEARCHES.warning,
    },
  ]
  return all.filter(({ count }) => count > 0).slice(0, MAX_PROBLEMS)
}

/** The largest cause of errors by name. Where checks fail without an alert, their number. */
function describeFailing({ causes, counts: { failing } }: Overview): Problem[] {
  const cause = causes?.shown.find(
    ({ kind, severity, machines: count }) => kind !== 'overdue' && severity === 'error' && count > 0,
  )
  if (cause === undefined) {
    const text = `${machines(failing)} with failing checks`
    return [{ count: failing, text, tone: 'negative', search: PART_SEARCHES.failing }]
  }
  const name = cause.name.length > MAX_NAME ? `${cause.name.slice(0, MAX_NAME)}…` : cause.name
  const what = cause.kind === 'custom' ? `with "${name}"` : `failing ${name}`
  return [{ count: cause.machines, text: `${machines(cause.machines)} ${what}`, tone: 'negative', cause }]
}

function describeDisks({ disks: { shown } }: Overview, nowMs: number): Problem[] {
  const soon = shown.filter(({ full_at }) => Date.parse(full_at) <= nowMs + SOON_DAYS * DAY_MS)
  const [first] = soon
  if (first === undefined) return []
  const when = soon.length > 1 ? `within ${SOON_DAYS} days` : describeDay(Date.parse(first.full_at), nowMs)
  const text = `${soon.length === 1 ? 'disk' : 'disks'} full ${when}`
  return [{ count: soon.length, text, tone: 'negative', agent: first.agent_id }]
}

/** `today`, `tomorrow`, `in 5 days`, by the days of the browser's zone. */
export function describeDay(atMs: number, nowMs: number): string {
  const days = Math.round((startOfDay(atMs) - startOfDay(nowMs)) / DAY_MS)
  if (days <= 0) return 'today'
  return days === 1 ? 'tomorrow' : `in ${days} days`
}

const startOfDay = (ms: number) => new Date(ms).setHours(0, 0, 0, 0)

/** The sentence of a fleet without problems. Only machines with checks that pass are called healthy. */
export function describeHealthy({ machines: total, counts }: Overview): string {
  const known = total - counts.unchecked
  if (counts.healthy < total) return `No problems on ${known.toLocaleString('en')} ${machines(known)}.`
  return total === 1 ? 'The machine is healthy.' : `All ${total.toLocaleString('en')} machines are healthy.`
}

export const machines = (count: number): string => (count === 1 ? 'machine' : 'machines')
