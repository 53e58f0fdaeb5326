import type { CpuTimes, MemoryUse } from '../probes.ts'

/** The first line of /proc/stat: the time of all processors together, in 10 ms. */
export function parseCpuTimes(stat: string): CpuTimes {
  const [name, ...fields] = (stat.split('\n', 1)[0] ?? '').split(/\s+/)
  // user nice system idle iowait irq softirq steal; the rest (guests) is included in user and nice.
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] =
    fields.map(Number)
  if (name !== 'cpu' || Number.isNaN(user + idle))
    throw new Error('/proc/stat has no line for all processors')
  const busy = user + nice + system + irq + softirq + steal
  return { busy, total: busy + idle + iowait }
}

/** /proc/meminfo. Memory that programs can use at once counts as available, including caches. */
export function parseMemory(meminfo: string): MemoryUse {
  const bytes = (name: string) => {
    const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(meminfo) ?? []
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  }
  const sum = (...names: string[]) => names.reduce((total, name) => total + (bytes(name) ?? 0), 0)
  const swapBytes = bytes('SwapTotal') ?? 0
  return {
    totalBytes: bytes('MemTotal') ?? 0,
    // Kernels before 3.14 do not report it.
    availableBytes: bytes('MemAvailable') ?? sum('MemFree', 'Buffers', 'Cached'),
    swap: swapBytes === 0 ? null : { totalBytes: swapBytes, freeBytes: bytes('SwapFree') ?? 0 },
  }
}
