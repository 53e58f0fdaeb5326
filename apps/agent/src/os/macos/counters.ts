import { totalmem } from 'node:os'
import { type Counters, readPlainCounters } from '../os.ts'
import { runTool } from '../run-tool.ts'
import type { MemoryUse } from '../probes.ts'

const LIMIT_MS = 5000

/** Values that a tool does not report are absent; the others are used. */
export async function readMacCounters(disks: Counters['disks']): Promise<Counters> {
  const [pages, swapUse, interfaces, drivers] = await Promise.all([
    ask('vm_stat', []),
    ask('sysctl', ['-n', 'vm.swapusage']),
    ask('netstat', ['-ibn']),
    ask('ioreg', ['-r', '-c', 'IOBlockStorageDriver', '-w', '0']),
  ])
  const plain = readPlainCounters(disks, true)
  const available = parseVmStat(pages)
  const swap = parseSwap(swapUse)
  const netBytes = parseInterfaces(interfaces)
  const diskBytes = parseStorageDrivers(drivers)
  return {
    ...plain,
    ...(available > 0 ? { memoryPercent: Math.max(0, (1 - available / totalmem()) * 100) } : {}),
    ...(swap == null ? {} : { swapPercent: (1 - swap.freeBytes / swap.totalBytes) * 100 }),
    ...(netBytes === undefined ? {} : { netBytes }),
    ...(diskBytes === undefined ? {} : { diskBytes }),
  }
}

async function ask(tool: string, args: string[]): Promise<string> {
  try {
    return (await runTool(tool, args, { signal: AbortSignal.timeout(LIMIT_MS), timeoutMs: LIMIT_MS })).stdout
  } catch {
    // The next sample follows soon; until then this value is absent.
    return ''
  }
}

/** Interfaces that would count bytes twice, or that are internal. */
const PASSING = /^(?:lo|gif|stf|utun|ipsec|bridge|vlan|bond|feth|vmenet|awdl|llw|ap|anpi|p2p)\d/

/**
 * `netstat -ibn`: each interface has one line (its network is `<Link#4>`) and one per address with the same numbers.
 * An interface without a hardware address has one column less, so columns are counted from the right.
 */
export function parseInterfaces(output: string): Counters['netBytes'] {
  const [head = '', ...lines] = output.split('\n')
  const titles = head.trim().split(/\s+/)
  const [inColumn, outColumn] = [titles.indexOf('Ibytes'), titles.indexOf('Obytes')]
  if (inColumn < 0 || outColumn < 0) return undefined
  let received = 0
  let sent = 0
  for (const line of lines) {
    const fields = line.trim().split(/\s+/)
    if (!fields[2]?.startsWith('<Link#') || PASSING.test(fields[0] ?? '')) continue
    const field = (place: number) => Number(fields.at(place - titles.length))
    const [bytesIn, bytesOut] = [field(inColumn), field(outColumn)]
    if (!Number.isFinite(bytesIn) || !Number.isFinite(bytesOut)) continue
    received += bytesIn
    sent += bytesOut
  }
  return { received, sent }
}

/** `ioreg -c IOBlockStorageDriver`: statistics per disk, `{"Bytes (Read)"=5,...,"Bytes (Write)"=7}`. */
export function parseStorageDrivers(output: string): Counters['diskBytes'] {
  let read = 0
  let written = 0
  let disks = 0
  for (const [, statistics = ''] of output.matchAll(/"Statistics"\s*=\s*\{([^}]*)\}/g)) {
    const value = (name: string) => Number(new RegExp(`"Bytes \\(${name}\\)"=(\\d+)`).exec(statistics)?.[1])
    const [bytesRead, bytesWritten] = [value('Read'), value('Write')]
    if (Number.isNaN(bytesRead) || Number.isNaN(bytesWritten)) continue
    read += bytesRead
    written += bytesWritten
    disks += 1
  }
  return disks === 0 ? undefined : { read, written }
}

/** Bytes that programs can use at once, from `vm_stat`: free pages and file caches. */
export function parseVmStat(output: string): number {
  const pageBytes = Number(/page size of (\d+) bytes/.exec(output)?.[1] ?? 4096)
  const pages = (name: string) =>
    Number(new RegExp(`^Pages ${name}:\\s+(\\d+)\\.`, 'm').exec(output)?.[1] ?? 0)
  return (pages('free') + pages('inactive') + pages('speculative') + pages('purgeable')) * pageBytes
}

/**
 * `total = 2048.00M  used = 1021.75M  free = 1026.25M  (encrypted)` from `sysctl -n vm.swapusage`. Null without swap,
 * undefined if it is not reported.
 */
export function parseSwap(output: string): MemoryUse['swap'] | undefined {
  const [total, free] = ['total', 'free'].map((name) => {
    const [, megabytes] = new RegExp(`${name} = ([\\d.,]+)M`).exec(output) ?? []
    return megabytes === undefined ? Number.NaN : Number(megabytes.replace(',', '.')) * 1024 ** 2
  })
  if (total === undefined || free === undefined || Number.isNaN(total + free)) return undefined
  return total > 0 ? { totalBytes: total, freeBytes: free } : null
}
