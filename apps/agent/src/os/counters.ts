import { freemem, loadavg, totalmem, uptime } from 'node:os'
import { readCpuTimes } from './cpu-times.ts'
import type { CpuTimes } from './probes.ts'

/** Counters of the machine at one moment. Those that grow count from an arbitrary start. */
export interface Counters {
  cpu: CpuTimes
  /** Percent, 0 to 100. */
  memoryPercent: number
  swapPercent?: number
  /** Average of one minute; absent on Windows. */
  load?: number
  uptimeSeconds: number
  disks: readonly { mount: string; percent: number }[]
  /** Bytes of all disks, and of all network interfaces except loopback. */
  diskBytes?: { read: number; written: number }
  netBytes?: { received: number; sent: number }
}

type Disks = Counters['disks']

/** For systems that report no more without a child process. */
export function readPlainCounters(disks: Disks, hasLoad: boolean): Counters {
  return {
    cpu: readCpuTimes(),
    memoryPercent: (1 - freemem() / totalmem()) * 100,
    ...(hasLoad ? { load: loadavg()[0] ?? 0 } : {}),
    uptimeSeconds: uptime(),
    disks,
  }
}
