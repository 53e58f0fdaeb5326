import type { MemoryUse } from '../probes.ts'

const MB = 1024 ** 2

/** Lines `allocated used` in megabytes, one per page file. */
export function parsePageFiles(output: string): MemoryUse['swap'] {
  let total = 0
  let used = 0
  for (const [, allocated, current] of output.matchAll(/^\s*(\d+) (\d+)\s*$/gm)) {
    total += Number(allocated)
    used += Number(current)
  }
  return total === 0 ? null : { totalBytes: total * MB, freeBytes: Math.max(0, total - used) * MB }
}
