import { freemem, loadavg, totalmem, uptime } from 'node:os'
import { readCpuTimes } from './cpu-times.ts'
import type { CpuTimes } from './probes.ts'

/** What a machine says of itself at one moment; counters go up from some start. */
export interface Counters {
  cpu: CpuTimes
  /** Shares from 0 to 100. */
  memoryPercent: number
  swapPercent?: number
  /** Mean of one minute; absent on Windows, which knows none. */
  load?: number
  uptimeSeconds: number
  disks: readonly { mount: string; percent: number }[]
  /** Bytes of all disks, and of all network interfaces but the loopback. */
  diskBytes?: { read: number; written: number }
  netBytes?: { received: number; sent: number }
}

type Disks = Counters['disks']

/** For systems that tell no more without a process of their own. */
export function readPlainCounters(disks: Disks, hasLoad: boolean): Counters {
  return {
    cpu: readCpuTimes(),
    memoryPercent: (1 - freemem() / totalmem()) * 100,
    ...(hasLoad ? { load: loadavg()[0] ?? 0 } : {}),
    uptimeSeconds: uptime(),
    disks,
  }
}
