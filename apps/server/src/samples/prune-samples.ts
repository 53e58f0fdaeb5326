import type { Context } from '../context.ts'
import { DeletionSteps } from '../platform/database/deletion-steps.ts'
import { type KeepSeconds, readKeep, RESOLUTIONS, WINDOW_SECONDS } from './keep.ts'
import { dropPartitionsBefore, makePartitionsAhead } from './partitions.ts'
import { deleteSomeChunks, deleteTransitionsBefore, findSeriesAfter } from './queries.ts'

const SERIES_AT_ONCE = 200

type Pruning = Pick<Context, 'db' | 'transaction' | 'now' | 'engine' | 'log'>

/**
 * Deletes old chunks and check transitions in steps of some milliseconds, with other writers in between. Old partitions
 * are dropped as a whole. It can be interrupted; the next run deletes the rest.
 */
export async function pruneSamples(ctx: Pruning, signal: AbortSignal): Promise<void> {
  const now = Math.floor(ctx.now().getTime() / 1000)
  const keep = await readKeep(ctx.db)
  if (ctx.engine === 'postgres') {
    await makePartitionsAhead(ctx, now)
    await dropPartitionsBefore(ctx, (resolution) => now - keep[resolution], signal)
  }
  const steps = new DeletionSteps(ctx, signal)
  let after = 0
  for (;;) {
    const rows = await findSeriesAfter(ctx.db, after, SERIES_AT_ONCE)
    const last = rows.at(-1)
    if (last === undefined) break
    after = last.id
    const series = rows.map(({ id }) => id)
    if (ctx.engine === 'sqlite') await pruneChunks(steps, series, { now, keep })
    const checkIds = [...new Set(rows.flatMap(({ check_id }) => check_id ?? []))]
    const before = now - keep[3600]
    await steps.take((tx, limit) => deleteTransitionsBefore(tx, { checkIds, before, limit }))
  }
  ctx.log.info(steps.figures, 'old samples deleted')
}

async function pruneChunks(
  steps: DeletionSteps,
  series: number[],
  { now, keep }: { now: number; keep: KeepSeconds },
): Promise<void> {
  for (const resolution of RESOLUTIONS) {
    const before = now - keep[resolution] - WINDOW_SECONDS[resolution]
    await steps.take((tx, limit) => deleteSomeChunks(tx, resolution, { series, before, limit }))
  }
}
