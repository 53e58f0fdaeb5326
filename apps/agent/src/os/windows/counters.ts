import { type Counters, readPlainCounters } from '../os.ts'
import { runTool } from '../run-tool.ts'
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

const NETSTAT_LIMIT_MS = 5000
/** PowerShell takes seconds to start on a small machine. */
const POWERSHELL_LIMIT_MS = 20_000
/** WMI classes have the same names in every language. The counters of typeperf do not. */
const DISKS_AND_SWAP = [
  `Get-CimInstance Win32_PerfRawData_PerfDisk_PhysicalDisk -Filter "Name='_Total'" | ForEach-Object { "disk $($_.DiskReadBytesPersec) $($_.DiskWriteBytesPersec)" }`,
  'Get-CimInstance Win32_PageFileUsage | ForEach-Object { "$($_.AllocatedBaseSize) $($_.CurrentUsage)" }',
].join('; ')

/**
 * `quick`: without PowerShell, which would cost more each second than the rest. Disk rates and page file use are
 * absent then.
 */
export async function readWindowsCounters(
  disks: Counters['disks'],
  detail: 'all' | 'quick',
): Promise<Counters> {
  const [interfaces, more] = await Promise.all([
    ask('netstat', ['-e'], NETSTAT_LIMIT_MS),
    detail === 'all'
      ? ask('powershell', ['-NoProfile', '-NonInteractive', '-Command', DISKS_AND_SWAP], POWERSHELL_LIMIT_MS)
      : '',
  ])
  const netBytes = parseNetstat(interfaces)
  const diskBytes = parseDisks(more)
  const swap = parsePageFiles(more)
  return {
    ...readPlainCounters(disks, false),
    ...(netBytes === undefined ? {} : { netBytes }),
    ...(diskBytes === undefined ? {} : { diskBytes }),
    ...(swap === null ? {} : { swapPercent: (1 - swap.freeBytes / swap.totalBytes) * 100 }),
  }
}

async function ask(tool: string, args: string[], timeoutMs: number): Promise<string> {
  try {
    return (await runTool(tool, args, { signal: AbortSignal.timeout(timeoutMs), timeoutMs })).stdout
  } catch {
    // The next sample follows soon; until then this value is absent.
    return ''
  }
}

/** `netstat -e` in any language: the first line that ends in two numbers holds the bytes. */
export function parseNetstat(output: string): Counters['netBytes'] {
  const [, received, sent] = /\s(\d+)\s+(\d+)\s*$/m.exec(output) ?? []
  return received === undefined ? undefined : { received: Number(received), sent: Number(sent) }
}

/** A line `disk read written`: raw counters, which are bytes since boot despite their names. */
export function parseDisks(output: string): Counters['diskBytes'] {
  const [, read, written] = /^disk (\d+) (\d+)\s*$/m.exec(output) ?? []
  return read === undefined ? undefined : { read: Number(read), written: Number(written) }
}
