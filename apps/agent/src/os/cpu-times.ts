import { cpus } from 'node:os'
import type { CpuTimes } from './probes.ts'

/** All processors together, for systems without a cheaper source. */
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
