import type { CheckSettings } from '@muster/contract/api/checks'
import type { CheckHistoryPoint, CheckSamples } from '@muster/contract/checks/check-samples'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { graphSeries, type Range, rangeWithin } from '../../samples/graph-series.ts'
import { DAY, readKeep, type Resolution } from '../../samples/partitions.ts'
import { findSeries } from '../../samples/queries.ts'
import { findPeriods } from '../maintenance/record-periods.ts'
import type { CheckRow } from './queries.ts'
import { readSettings } from './view.ts'

interface Graphed {
  id: number
  agent_id: string
  agent: number
}

/** The measured values of a check in a time range. */
export async function graphCheck(
  ctx: Pick<Context, 'db' | 'now'>,
  check: Graphed,
  query: Range & { resolution?: Resolution | undefined },
): Promise<CheckSamples> {
  const { range } = rangeWithin(ctx, query, await readKeep(ctx.db))
  const rows = await findSeries(ctx.db, [check.id])
  const failures = await findBands(ctx.db, check.id, range)
  const maintenance = await findPeriods(ctx.db, check.agent_id, range)
  return { ...(await graphSeries(ctx, { agent: check.agent, rows }, query)), failures, maintenance }
}

/** The measurements of a check in the last days (0 = all), as one number per time. */
export async function readHistory(
  ctx: Pick<Context, 'db' | 'now'>,
  check: CheckRow,
  days: number,
): Promise<CheckHistoryPoint[]> {
  const to = Math.floor(ctx.now().getTime() / 1000)
  const from = days === 0 ? await findBeginning(ctx, check, to) : Math.max(0, to - days * DAY)
  const { series, failures, resolution } = await graphCheck(ctx, check, { from, to })
  const moments = gatherMoments(series)
  const judged = judgedSeries(readSettings(check))
  if (judged === undefined) {
    // A check that fails without a number (a page that does not respond) has no samples, but its failures still start.
    for (const { from: start } of failures) if (start >= from && !moments.has(start)) moments.set(start, {})
  }
  const hasFailed = (at: number) =>
    failures.some((one) => one.from < at + Math.max(1, resolution) && (one.to ?? Infinity) > at)
  return [...moments]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([at, results]) => {
      const y = judged === undefined ? Number(hasFailed(at)) : results[judged]
      return y === undefined ? [] : [{ x: new Date(at * 1000).toISOString(), y, results }]
    })
}

/** Start of the stored data: the shorter the range, the finer its points. */
async function findBeginning(ctx: Pick<Context, 'db' | 'now'>, check: CheckRow, to: number): Promise<number> {
  const { series, failures } = await graphCheck(ctx, check, { from: 0, to })
  const starts = [...series.map(({ points }) => points[0]?.[0] ?? to), ...failures.map(({ from }) => from)]
  return Math.min(to, ...starts)
}

function gatherMoments(series: CheckSamples['series']): Map<number, Record<string, number>> {
  const moments = new Map<number, Record<string, number>>()
  for (const { name, points } of series) {
    for (const [at, mean] of points) {
      const results = moments.get(at) ?? {}
      moments.set(at, results)
      results[name] = mean
    }
  }
  return moments
}

/** The series with the percentage that thresholds apply to, or undefined for types without one. */
function judgedSeries(settings: CheckSettings): string | undefined {
  switch (settings.check_type) {
    case 'cpuload':
      return 'percent'
    case 'memory':
      return settings.memory_kind === 'swap' ? 'swap_percent' : 'percent'
    case 'diskspace':
      return settings.threshold_unit === 'inodes' ? 'inodes_free_percent' : 'free_percent'
    default:
      return undefined
  }
}

type Band = CheckSamples['failures'][number]

/** For a check that flaps for weeks, only this many changes are drawn. */
const MAX_TRANSITIONS = 5000

/** Failures of a check in a time range. Bands that start or end outside keep their real ends. */
async function findBands(db: Db, checkId: number, { from, to }: Range): Promise<Band[]> {
  const transitions = () =>
    db.selectFrom('check_transitions').select(['at', 'severity']).where('check_id', '=', checkId)
  const before = await transitions()
    .where('at', '<', from)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .execute()
  const within = await transitions()
    .where('at', '>=', from)
    .where('at', '<=', to)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_TRANSITIONS)
    .execute()
  const after = await transitions().where('at', '>', to).orderBy('at').orderBy('id').limit(1).execute()
  const all = [...before, ...within.toReversed(), ...after]
  return all.flatMap(({ at, severity }, index) => {
    const next = all[index + 1]
    if (severity === null || at > to || next?.at === at) return []
    return [{ from: at, to: next?.at ?? null, severity }]
  })
}
