import type { Context } from '../../../context.ts'
import { type KeepSeconds, readKeep, RESOLUTIONS, WINDOW_SECONDS } from './keep.ts'
import { dropPartitionsBefore, makePartitionsAhead } from './partitions.ts'
import { deleteSomeChunks, deleteTransitionsBefore, findSeriesAfter } from './queries.ts'

const SERIES_AT_ONCE = 200
const FIRST_ROWS = 100
const MOST_ROWS = 1000
/** Each step is to take about so long, and takes more or fewer rows accordingly: nobody waits longer for his turn. */
const AIM_MS = 15

type Pruning = Pick<Context, 'db' | 'transaction' | 'now' | 'engine' | 'log'>

/**
 * Removes chunks, and transitions of checks, whose time is over: in steps of some milliseconds, between which everyone
 * who waits to write gets his turn. Where the table is cut by time, the old part goes as a whole. It can be cut off
 * anywhere; the next run finds what is left.
 */
export async function pruneSamples(ctx: Pruning, signal: AbortSignal): Promise<void> {
  const now = Math.floor(ctx.now().getTime() / 1000)
  const keep = await readKeep(ctx.db)
  if (ctx.engine === 'postgres') {
    await makePartitionsAhead(ctx, now)
    await dropPartitionsBefore(ctx, (resolution) => now - keep[resolution], signal)
  }
  const steps = new Steps(ctx, signal)
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
  ctx.log.info(steps.figures, 'old samples removed')
}

async function pruneChunks(
  steps: Steps,
  series: number[],
  { now, keep }: { now: number; keep: KeepSeconds },
): Promise<void> {
  for (const resolution of RESOLUTIONS) {
    const before = now - keep[resolution] - WINDOW_SECONDS[resolution]
    await steps.take((tx, limit) => deleteSomeChunks(tx, resolution, { series, before, limit }))
  }
}

/** Repeats what deletes a limited number of rows until there are none left, each time in a transaction of its own. */
class Steps {
  #ctx: Pruning
  #signal: AbortSignal
  #limit = FIRST_ROWS
  #rows = 0
  #longestMs = 0

  constructor(ctx: Pruning, signal: AbortSignal) {
    this.#ctx = ctx
    this.#signal = signal
  }

  get figures() {
    return { rows: this.#rows, longest_step_ms: Math.round(this.#longestMs) }
  }

  async take(step: (tx: Context['db'], limit: number) => Promise<number>): Promise<void> {
    for (;;) {
      this.#signal.throwIfAborted()
      const limit = this.#limit
      let startedMs = 0
      const deleted = await this.#ctx.transaction((tx) => {
        // Not before: waiting for its own turn holds nobody up.
        startedMs = performance.now()
        return step(tx, limit)
      })
      const tookMs = performance.now() - startedMs
      this.#rows += deleted
      this.#longestMs = Math.max(this.#longestMs, tookMs)
      if (deleted > 0) this.#limit = nextLimit(limit, tookMs / deleted)
      await new Promise(setImmediate)
      if (deleted < limit) return
    }
  }
}

/** Grows slowly, so that one step that happened to be quick does not make the next one long. */
function nextLimit(limit: number, rowMs: number): number {
  const wanted = Math.round(AIM_MS / Math.max(rowMs, AIM_MS / MOST_ROWS))
  return Math.max(1, Math.min(wanted, limit * 2))
}
