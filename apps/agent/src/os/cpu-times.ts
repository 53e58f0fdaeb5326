import { cpus } from 'node:os'
import type { CpuTimes } from './probes.ts'

/** Of all processors together, for systems that have no cheaper way to tell. */
export function readCpuTimes(): CpuTimes {
  let busy = 0
  let total = 0
  for (const { times } of cpus()) {
    const own = times.user + times.nice + times.sys + times.irq
    busy += own
    total += own + times.idle
  }
  return { busy, total }
}
