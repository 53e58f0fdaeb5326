import { AgentError } from '../../errors.ts'
import { meaningful } from '../node-os.ts'
import { bindLibrary, type Call, loadErrors } from './win32.ts'

interface Kernel {
  firmware: Call<[provider: number, table: 0, buffer: Buffer | null, size: number]>
}
const KERNEL = {
  firmware: 'uint32_t __stdcall GetSystemFirmwareTable(uint32_t, uint32_t, uint8_t *, uint32_t)',
}
/** "RSMB" */
const SMBIOS = 0x52534d42

/** The SMBIOS tables of the machine. */
export async function readFirmwareTable(): Promise<Buffer> {
  const { firmware } = await bindLibrary<Kernel>('kernel32.dll', KERNEL)
  const table = Buffer.alloc(Math.max(8, firmware(SMBIOS, 0, null, 0)))
  if (firmware(SMBIOS, 0, table, table.length) !== 0) return table
  const { last, describe } = await loadErrors()
  throw new AgentError(`Failed to read the hardware from the firmware: ${describe(last())}`)
}

const HEADER_BYTES = 8
const END_OF_TABLE = 127
const [SYSTEM, BOARD, CHASSIS, PROCESSOR] = [1, 2, 3, 4]
const POPULATED = 0x40
const UUID_OFFSET = 8

interface FirmwareEntry {
  type: number
  bytes: Buffer
  /** The text whose number stands at this offset; empty for none and for placeholders. */
  text: (offset: number) => string
}

/** RawSMBIOSData: a header, then the structures of the SMBIOS specification (DMTF DSP0134). */
export function decodeFirmware(table: Buffer): {
  make: string
  model: string
  serial_number: string
  sockets: number
} {
  const entries = listEntries(table.subarray(HEADER_BYTES))
  const text = (type: number | undefined, offset: number) =>
    entries.find((entry) => entry.type === type)?.text(offset) ?? ''
  return {
    make: text(SYSTEM, 4) || text(BOARD, 4) || text(CHASSIS, 4),
    model: text(SYSTEM, 5) || text(BOARD, 5),
    serial_number: text(SYSTEM, 7) || text(CHASSIS, 7) || text(BOARD, 7),
    sockets: entries.filter(({ type, bytes }) => type === PROCESSOR && ((bytes[0x18] ?? 0) & POPULATED) !== 0)
      .length,
  }
}

/** The UUID of the machine; empty if there is none. Its first three parts are little-endian. */
export function findFirmwareUuid(table: Buffer): string {
  const system = listEntries(table.subarray(HEADER_BYTES)).find(({ type }) => type === SYSTEM)
  const bytes = system?.bytes.subarray(UUID_OFFSET, UUID_OFFSET + 16)
  if (bytes?.length !== 16) return ''
  const ordered = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15].map((at) => bytes[at] ?? 0)
  return Buffer.from(ordered)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Each structure: type, length, handle, fields, then its texts and an empty one. */
function listEntries(data: Buffer): FirmwareEntry[] {
  const entries: FirmwareEntry[] = []
  for (let at = 0; at + 4 <= data.length;) {
    const [type = END_OF_TABLE, length = 0] = data.subarray(at, at + 2)
    if (type === END_OF_TABLE || length < 4) break
    const bytes = data.subarray(at, at + length)
    const end = data.indexOf('\0\0', at + length, 'latin1')
    const texts = data.toString('latin1', at + length, end === -1 ? data.length : end).split('\0')
    const text = (offset: number) => {
      const number = offset < length ? (bytes[offset] ?? 0) : 0
      return number === 0 ? '' : meaningful((texts[number - 1] ?? '').trim())
    }
    entries.push({ type, bytes, text })
    if (end === -1) break
    at = end + 2
  }
  return entries
}
