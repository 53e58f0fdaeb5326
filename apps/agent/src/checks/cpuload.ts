import { setTimeout as sleep } from 'node:timers/promises'
import type { CheckKind } from './table.ts'
import { MeasureError } from '../errors.ts'

const FIRST_MS = 2000
/** The system counts in 10 ms steps, so a shorter time gives no useful result. */
const MIN_MS = 1900
/** An average over much more than the interval (the machine slept) does not describe the current load. */
const MAX_INTERVALS = 1.5

/** Average since the last run of the check. The first run measures two seconds. */
export const cpuload: CheckKind<'cpuload'> = {
  limitMs: () => 20_000,
  async measure({ run_interval_seconds }, { probes, memory, signal }) {
    const read = async () => ({ atMs: performance.now(), ...(await probes.readCpuTimes()) })
    let before = memory.cpu
    let now = await read()
    const isOld = (since: number) => now.atMs - since > run_interval_seconds * 1000 * MAX_INTERVALS
    // Counters that decreased belong to another boot, or to a container that moved.
    if (before === undefined || isOld(before.atMs) || now.total <= before.total || now.busy < before.busy)
      before = now
    const waitMs = FIRST_MS - (now.atMs - before.atMs)
    if (waitMs > FIRST_MS - MIN_MS) {
      await sleep(waitMs, undefined, { signal })
      now = await read()
    }
    memory.cpu = now
    const total = now.total - before.total
    // Some containers have the counters, always at 0.
    if (total <= 0) throw new MeasureError('The system does not count the time of its processors.')
    const percent = ((now.busy - before.busy) / total) * 100
    return { check_type: 'cpuload', percent: Math.min(100, Math.max(0, percent)) }
  },
}
