import { readFileSync } from 'node:fs'
import { uptime } from 'node:os'
import type { Counters } from '../os.ts'
import type { CpuTimes, MemoryUse } from '../probes.ts'
import { readLinuxDisks } from './mounts.ts'
import { findDefaultInterfaces, isCard } from './network.ts'

/** Some kernels and containers lack single files. Their values are absent then. */
export async function readLinuxCounters(): Promise<Counters> {
  const { totalBytes, availableBytes, swap } = parseMemory(read('/proc/meminfo'))
  const load = Number(read('/proc/loadavg').split(' ')[0])
  const diskstats = find('/proc/diskstats')
  const net = find('/proc/net/dev')
  return {
    cpu: parseCpuTimes(read('/proc/stat')),
    memoryPercent: share(totalBytes - availableBytes, totalBytes),
    ...(swap === null ? {} : { swapPercent: share(swap.totalBytes - swap.freeBytes, swap.totalBytes) }),
    load,
    uptimeSeconds: uptime(),
    disks: await readLinuxDisks(),
    ...(diskstats === undefined ? {} : { diskBytes: parseDiskStats(diskstats) }),
    ...(net === undefined ? {} : { netBytes: parseNetDev(net) }),
  }
}

/** Always 512, whatever the disk's own sector size is: https://docs.kernel.org/admin-guide/iostats.html */
const SECTOR_BYTES = 512
/** Whole disks. Partitions and virtual disks (md, dm, loop, zram) would count the same bytes again. */
const DISK = /^(?:[shv]d[a-z]+|xvd[a-z]+|nvme\d+n\d+|mmcblk\d+)$/

/** /proc/diskstats: `254 0 vda reads merged sectors-read ms writes merged sectors-written ...`. */
export function parseDiskStats(text: string): { read: number; written: number } {
  let read = 0
  let written = 0
  for (const line of text.split('\n')) {
    const [, , name = '', , , sectorsRead = '', , , , sectorsWritten = ''] = line.trim().split(/\s+/)
    if (!DISK.test(name)) continue
    read += Number(sectorsRead) * SECTOR_BYTES
    written += Number(sectorsWritten) * SECTOR_BYTES
  }
  return { read, written }
}

/** Interfaces that would count bytes twice: bridges, tunnels and container interfaces. */
const PASSING =
  /^(?:lo|docker|podman|lxc|lxd|br|vmbr|veth|virbr|vnet|tun|tap|wg|tailscale|bond|cni|flannel|cali|ifb|dummy)/

/**
 * /proc/net/dev: `eth0: bytes packets errs drop fifo frame compressed multicast bytes ...`. Bridges, bonds, VLANs and
 * tunnels count the bytes of cards again, so only cards count; without any, as in containers, the interface of the
 * default route.
 */
export function parseNetDev(text: string, root = '/'): NonNullable<Counters['netBytes']> {
  const interfaces = text.split('\n').flatMap((line) => {
    const at = line.lastIndexOf(':')
    const name = line.slice(0, Math.max(at, 0)).trim()
    if (name === '') return []
    const fields = line
      .slice(at + 1)
      .trim()
      .split(/\s+/)
      .map(Number)
    return [{ name, received: fields[0] ?? 0, sent: fields[8] ?? 0 }]
  })
  const counted = chooseCounted(
    interfaces.map(({ name }) => name),
    root,
  )
  const sum = { received: 0, sent: 0, interfaces: counted.join(' ') }
  for (const { name, received, sent } of interfaces) {
    if (!counted.includes(name)) continue
    sum.received += received
    sum.sent += sent
  }
  return sum
}

function chooseCounted(names: readonly string[], root: string): string[] {
  const cards = names.filter((name) => isCard(root, name))
  if (cards.length > 0) return cards
  const first = findDefaultInterfaces(root).find((name) => names.includes(name))
  return first === undefined ? names.filter((name) => !PASSING.test(name)) : [first]
}

function share(part: number, whole: number): number {
  return whole > 0 ? (part / whole) * 100 : 0
}

const read = (file: string) => readFileSync(file, 'utf8')

function find(file: string): string | undefined {
  try {
    return read(file)
  } catch {
    // Not available on this kernel or in this container.
    return undefined
  }
}

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
