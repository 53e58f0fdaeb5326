import type { Context } from '../../../context.ts'
import { KEEP_SECONDS, RESOLUTIONS, WINDOW_SECONDS } from './keep.ts'
import { deleteChunksBefore, deleteTransitionsBefore, findSeriesAfter } from './queries.ts'

const FIRST_SERIES = 50
const MOST_SERIES = 500
/** Each transaction is to take about so long, and takes more or fewer series accordingly. */
const AIM_MS = 15

/** Removes chunks, and transitions of checks, whose time is over: some series at a time, so that nobody waits for it. */
export async function pruneSamples(
  ctx: Pick<Context, 'db' | 'transaction' | 'now'>,
  signal: AbortSignal,
): Promise<void> {
  const now = Math.floor(ctx.now().getTime() / 1000)
  let after = 0
  let count = FIRST_SERIES
  for (;;) {
    signal.throwIfAborted()
    const rows = await findSeriesAfter(ctx.db, after, count)
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
    const series = rows.map(({ id }) => id)
    const checkIds = [...new Set(rows.flatMap(({ check_id }) => check_id ?? []))]
    const startedMs = performance.now()
    await ctx.transaction(async (tx) => {
      for (const resolution of RESOLUTIONS) {
        const before = now - KEEP_SECONDS[resolution] - WINDOW_SECONDS[resolution]
        await deleteChunksBefore(tx, resolution, { series, before })
      }
      if (checkIds.length > 0) await deleteTransitionsBefore(tx, checkIds, now - KEEP_SECONDS[3600])
    })
    const tookMs = performance.now() - startedMs
    count = Math.min(MOST_SERIES, Math.max(1, Math.round((count * AIM_MS) / Math.max(tookMs, 1))))
    await new Promise(setImmediate)
  }
}
