import type { MemoryUse } from '../probes.ts'

/** Bytes that programs can use at once, from `vm_stat`: free pages and file caches. */
export function parseVmStat(output: string): number {
  const pageBytes = Number(/page size of (\d+) bytes/.exec(output)?.[1] ?? 4096)
  const pages = (name: string) =>
    Number(new RegExp(`^Pages ${name}:\\s+(\\d+)\\.`, 'm').exec(output)?.[1] ?? 0)
  return (pages('free') + pages('inactive') + pages('speculative') + pages('purgeable')) * pageBytes
}

/** `total = 2048.00M  used = 1021.75M  free = 1026.25M  (encrypted)` from `sysctl -n vm.swapusage`. */
export function parseSwap(output: string): MemoryUse['swap'] {
  const megabytes = (name: string) =>
    Number((new RegExp(`${name} = ([\\d.,]+)M`).exec(output)?.[1] ?? '0').replace(',', '.'))
  const total = megabytes('total')
  return total > 0 ? { totalBytes: total * 1024 ** 2, freeBytes: megabytes('free') * 1024 ** 2 } : null
}
