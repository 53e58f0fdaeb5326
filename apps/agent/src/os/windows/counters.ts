import { uptime } from 'node:os'
import { AgentError } from '../../errors.ts'
import type { Counters } from '../os.ts'
import type { CpuTimes, MemoryUse } from '../probes.ts'
import type { Structure } from './ntdll.ts'

interface Kernel {
  times: (idle: Buffer, kernel: Buffer, user: Buffer) => number
  memory: (status: Buffer) => number
}
interface Iphlpapi {
  interfaces: (table: [number | bigint]) => number
  free: (table: number | bigint) => void
}
const KERNEL: Record<keyof Kernel, string> = {
  times: 'int __stdcall GetSystemTimes(uint8_t *, uint8_t *, uint8_t *)',
  memory: 'int __stdcall GlobalMemoryStatusEx(uint8_t *)',
}
const IPHLPAPI: Record<keyof Iphlpapi, string> = {
  interfaces: 'uint32_t __stdcall GetIfTable2(_Out_ uintptr_t *)',
  free: 'void __stdcall FreeMibTable(uintptr_t)',
}

let loaded: Promise<{ kernel: Kernel; iphlpapi: Iphlpapi }> | undefined

async function load() {
  const { bindLibrary } = await import('./win32.ts')
  const [kernel, iphlpapi] = await Promise.all([
    bindLibrary<Kernel>('kernel32.dll', KERNEL),
    bindLibrary<Iphlpapi>('iphlpapi.dll', IPHLPAPI),
  ])
  return { kernel, iphlpapi }
}

/** A few calls of well below a millisecond each, so `quick` and `all` are the same here. */
export async function readWindowsCounters(disks: Counters['disks']): Promise<Counters> {
  const { totalBytes, availableBytes } = await readMemoryStatus()
  const [swap, netBytes, diskBytes] = [await readPageFiles(), await readNetBytes(), await readDiskBytes()]
  return {
    cpu: await readSystemTimes(),
    memoryPercent: (1 - availableBytes / totalBytes) * 100,
    uptimeSeconds: uptime(),
    disks,
    netBytes,
    ...(diskBytes === undefined ? {} : { diskBytes }),
    ...(swap === null ? {} : { swapPercent: (1 - swap.freeBytes / swap.totalBytes) * 100 }),
  }
}

/** All processors together, in 100 ns. The time of the kernel includes the idle time. */
export async function readSystemTimes(): Promise<CpuTimes> {
  const { kernel } = await (loaded ??= load())
  const [idle, system, user] = [Buffer.alloc(8), Buffer.alloc(8), Buffer.alloc(8)] as const
  if (kernel.times(idle, system, user) === 0) throw await failure('the processor times')
  const total = system.readBigUInt64LE() + user.readBigUInt64LE()
  return { busy: Number(total - idle.readBigUInt64LE()), total: Number(total) }
}

/** MEMORYSTATUSEX */
const MEMORY_BYTES = 64

export async function readMemoryStatus(): Promise<Pick<MemoryUse, 'totalBytes' | 'availableBytes'>> {
  const { kernel } = await (loaded ??= load())
  const status = Buffer.alloc(MEMORY_BYTES)
  status.writeUInt32LE(MEMORY_BYTES)
  if (kernel.memory(status) === 0) throw await failure('the memory')
  return {
    totalBytes: Number(status.readBigUInt64LE(8)),
    availableBytes: Number(status.readBigUInt64LE(16)),
  }
}

/** SystemPageFileInformation */
const PAGE_FILES = 18
const PAGE_BYTES = 4096

/** Null without page files, and in Wine, which does not know them. */
export async function readPageFiles(): Promise<MemoryUse['swap']> {
  const { querySystem } = await (await import('./ntdll.ts')).loadNtdll()
  const structure = querySystem(PAGE_FILES)
  return structure === undefined ? null : decodePageFiles(structure)
}

/** SYSTEM_PAGEFILE_INFORMATION: each entry has the offset of the next one, then its total and used pages. */
export function decodePageFiles({ buffer }: Pick<Structure, 'buffer'>): MemoryUse['swap'] {
  let total = 0
  let used = 0
  for (let at = 0; ;) {
    total += buffer.readUInt32LE(at + 4)
    used += buffer.readUInt32LE(at + 8)
    const next = buffer.readUInt32LE(at)
    if (next === 0) break
    at += next
  }
  return total === 0 ? null : { totalBytes: total * PAGE_BYTES, freeBytes: (total - used) * PAGE_BYTES }
}

/** MIB_IF_TABLE2: a count, then rows of MIB_IF_ROW2. */
const ROWS_AT = 8
const ROW_BYTES = 1352

async function readNetBytes(): Promise<NonNullable<Counters['netBytes']>> {
  const { iphlpapi } = await (loaded ??= load())
  const { loadErrors, loadKoffi } = await import('./win32.ts')
  const { view } = await loadKoffi()
  const table: [number | bigint] = [0]
  const error = iphlpapi.interfaces(table)
  if (error !== 0)
    throw new AgentError(`Failed to read the network interfaces: ${(await loadErrors()).describe(error)}`)
  try {
    const count = new DataView(view(table[0], ROWS_AT)).getUint32(0, true)
    return sumInterfaces(Buffer.from(view(table[0], ROWS_AT + count * ROW_BYTES)), count)
  } finally {
    iphlpapi.free(table[0])
  }
}

const LOOPBACK = 24
const [HARDWARE, FILTER] = [0x1, 0x2]

/**
 * Bytes of the network cards. Filters, bridges and tunnels would count the same bytes again. Where Windows marks no
 * card, all interfaces but loopback and filters count.
 */
export function sumInterfaces(table: Buffer, count: number): NonNullable<Counters['netBytes']> {
  const rows = Array.from({ length: count }, (_, index) => {
    const at = ROWS_AT + index * ROW_BYTES
    return {
      type: table.readUInt32LE(at + 1128),
      flags: table.readUInt8(at + 1152),
      received: Number(table.readBigUInt64LE(at + 1208)),
      sent: Number(table.readBigUInt64LE(at + 1280)),
    }
  })
  const cards = rows.filter(({ type, flags }) => type !== LOOPBACK && (flags & FILTER) === 0)
  const marked = cards.filter(({ flags }) => (flags & HARDWARE) !== 0)
  const counted = marked.length > 0 ? marked : cards
  return counted.reduce(
    (sum, { received, sent }) => ({ received: sum.received + received, sent: sum.sent + sent }),
    { received: 0, sent: 0 },
  )
}

async function readDiskBytes(): Promise<Counters['diskBytes']> {
  const { readDiskPerformance } = await import('./physical-disks.ts')
  return readDiskPerformance()
}

async function failure(subject: string): Promise<AgentError> {
  const { last, describe } = await (await import('./win32.ts')).loadErrors()
  return new AgentError(`Failed to read ${subject}: ${describe(last())}`)
}
