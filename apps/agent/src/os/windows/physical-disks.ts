import type { AgentFacts, PhysicalDisk } from '@muster/contract/agent/facts'
import type { z } from 'zod'
import type { Counters } from '../os.ts'
import { bindLibrary, type Call, type Handle } from './win32.ts'

interface Kernel {
  open: Call<
    [path: string, access: 0, share: number, security: null, disposition: number, flags: 0, template: 0],
    Handle
  >
  control: Call<
    [
      device: Handle,
      code: number,
      input: Buffer | null,
      inputSize: number,
      output: Buffer,
      outputSize: number,
      returned: [number],
      overlapped: null,
    ]
  >
  close: Call<[handle: Handle]>
}
const KERNEL: Record<keyof Kernel, string> = {
  open: 'intptr_t __stdcall CreateFileW(str16, uint32_t, uint32_t, void *, uint32_t, uint32_t, uintptr_t)',
  control:
    'int __stdcall DeviceIoControl(intptr_t, uint32_t, uint8_t *, uint32_t, uint8_t *, uint32_t, _Out_ uint32_t *, void *)',
  close: 'int __stdcall CloseHandle(intptr_t)',
}

const SHARE_READ_WRITE = 0x3
const OPEN_EXISTING = 3
const INVALID_HANDLE = -1
const MAX_DISKS = 64
/** Numbers of removed disks are missing. */
const MAX_GAP = 8

const DISK_PERFORMANCE = 0x70020
const PERFORMANCE_BYTES = 88
const DISK_GEOMETRY = 0x700a0
const GEOMETRY_BYTES = 256
const STORAGE_PROPERTY = 0x2d1400
const PROPERTY_QUERY_BYTES = 12
const DESCRIPTOR_BYTES = 4096
/** StorageDeviceSeekPenaltyProperty */
const SEEK_PENALTY = 7

let loaded: Promise<Kernel> | undefined

/** Bytes of all disks since the start; undefined if no disk counts them, as in Wine. */
export async function readDiskPerformance(): Promise<Counters['diskBytes']> {
  const all = await eachDisk(({ control }) => control(DISK_PERFORMANCE, PERFORMANCE_BYTES))
  const found = all.filter((one) => one !== undefined)
  if (found.length === 0) return undefined
  return found.map(decodePerformance).reduce((sum, { read, written }) => ({
    read: sum.read + read,
    written: sum.written + written,
  }))
}

/** DISK_PERFORMANCE */
export function decodePerformance(performance: Buffer): NonNullable<Counters['diskBytes']> {
  return { read: Number(performance.readBigInt64LE(0)), written: Number(performance.readBigInt64LE(8)) }
}

export async function readPhysicalDisks(): Promise<Pick<AgentFacts, 'physical_disks' | 'problems'>> {
  const all = await eachDisk(({ index, control }) => {
    const geometry = control(DISK_GEOMETRY, GEOMETRY_BYTES)
    if (geometry === undefined) return undefined
    const descriptor = control(STORAGE_PROPERTY, DESCRIPTOR_BYTES, Buffer.alloc(PROPERTY_QUERY_BYTES))
    const query = Buffer.alloc(PROPERTY_QUERY_BYTES)
    query.writeUInt32LE(SEEK_PENALTY)
    const penalty = control(STORAGE_PROPERTY, PROPERTY_QUERY_BYTES, query)
    return decodeDisk({ index, geometry, descriptor, penalty })
  })
  return describeDisks(all)
}

/** The disks that respond, and a sentence about the others (undefined). */
export function describeDisks(
  all: readonly (z.infer<typeof PhysicalDisk> | undefined)[],
): Pick<AgentFacts, 'physical_disks' | 'problems'> {
  const physical_disks = all.filter((disk) => disk !== undefined)
  const silent = all.length - physical_disks.length
  if (all.length === 0) return { physical_disks, problems: ['Windows lists no physical disks.'] }
  return {
    physical_disks,
    problems: silent === 0 ? [] : [`${silent} of ${all.length} physical disks do not respond.`],
  }
}

/** Values of STORAGE_BUS_TYPE. */
const BUSES: Partial<Record<number, string>> = {
  7: 'USB',
  12: 'flash',
  14: 'virtual',
  15: 'virtual',
  17: 'NVMe',
}

/** DISK_GEOMETRY_EX, STORAGE_DEVICE_DESCRIPTOR and DEVICE_SEEK_PENALTY_DESCRIPTOR. */
export function decodeDisk({
  index,
  geometry,
  descriptor,
  penalty,
}: {
  index: number
  geometry: Buffer
  descriptor: Buffer | undefined
  penalty: Buffer | undefined
}): z.infer<typeof PhysicalDisk> {
  const text = (at: number) => (descriptor === undefined ? '' : readAscii(descriptor, at))
  const model = [text(12), text(16)].filter((part) => part !== '').join(' ')
  const bus = BUSES[descriptor?.readUInt32LE(28) ?? 0]
  const kind = penalty === undefined ? '' : penalty.readUInt8(8) === 0 ? 'SSD' : 'HDD'
  return {
    name: model === '' ? `PhysicalDrive${index}` : model,
    size: Number(geometry.readBigInt64LE(24)),
    type: bus ?? kind,
    serial: text(24),
  }
}

/** ASCII text at the offset that stands at `at`; 0 = none. */
function readAscii(descriptor: Buffer, at: number): string {
  const start = descriptor.readUInt32LE(at)
  if (start === 0 || start >= descriptor.length) return ''
  const end = descriptor.indexOf(0, start)
  return descriptor.toString('latin1', start, end === -1 ? undefined : end).trim()
}

interface OpenDisk {
  index: number
  /** The output of an IOCTL; undefined if the disk does not answer it. */
  control: (code: number, bytes: number, input?: Buffer) => Buffer | undefined
}

/** Opens each disk without access to its data, which every account may. Undefined for a disk that is not read. */
async function eachDisk<Found>(read: (disk: OpenDisk) => Found | undefined): Promise<(Found | undefined)[]> {
  const { open, control, close } = await (loaded ??= bindLibrary<Kernel>('kernel32.dll', KERNEL))
  const all: (Found | undefined)[] = []
  for (let index = 0, gap = 0; index < MAX_DISKS && gap < MAX_GAP; index += 1) {
    const device = open(`\\\\.\\PhysicalDrive${index}`, 0, SHARE_READ_WRITE, null, OPEN_EXISTING, 0, 0)
    gap = Number(device) === INVALID_HANDLE ? gap + 1 : 0
    if (gap > 0) continue
    const found = read({
      index,
      control(code, bytes, input) {
        const output = Buffer.alloc(bytes)
        const [given, size] = [input ?? null, input?.length ?? 0] as const
        return control(device, code, given, size, output, bytes, [0], null) === 0 ? undefined : output
      },
    })
    close(device)
    all.push(found)
  }
  return all
}
