import { AgentError } from '../../errors.ts'
import { bindLibrary, type Call, type Handle, loadKoffi } from './win32.ts'

type Padding = null[]

interface Functions {
  querySystem: Call<
    [kind: number, buffer: Buffer | null, size: number, needed: [number], ...padding: Padding]
  >
  queryProcess: Call<
    [process: Handle, kind: number, buffer: Buffer, size: number, needed: [number], ...padding: Padding]
  >
  version: Call<[version: Buffer, ...padding: Padding]>
}

/** Wine reads this many parameters of a function of ntdll from the stack, also where there are fewer. */
const PARAMETERS = 12
const declare = (name: string, ...types: string[]) => {
  const padding = Array.from({ length: PARAMETERS - types.length }, () => 'void *')
  return `int __stdcall ${name}(${[...types, ...padding].join(', ')})`
}
const pad = (given: number) => Array.from({ length: PARAMETERS - given }, () => null)

const DECLARATIONS: Record<keyof Functions, string> = {
  querySystem: declare('NtQuerySystemInformation', 'int', 'uint8_t *', 'uint32_t', '_Out_ uint32_t *'),
  queryProcess: declare(
    'NtQueryInformationProcess',
    'uintptr_t',
    'int',
    'uint8_t *',
    'uint32_t',
    '_Out_ uint32_t *',
  ),
  version: declare('RtlGetVersion', 'uint8_t *'),
}

const LENGTH_MISMATCH = 0xc0000004
const INVALID_CLASS = 0xc0000003
const FIRST_BYTES = 64 * 1024
const MAX_BYTES = 64 * 1024 * 1024
const MAX_COMMAND_BYTES = 66 * 1024
/** OSVERSIONINFOEXW */
const VERSION_BYTES = 284

/** A structure of Windows whose pointers lead into itself. */
export interface Structure {
  buffer: Buffer
  address: bigint
}

interface Ntdll {
  /** SYSTEM_INFORMATION_CLASS; undefined if this Windows does not have it. Throws AgentError on other failures. */
  querySystem: (kind: number) => Structure | undefined
  /** PROCESSINFOCLASS; undefined if Windows refuses. */
  queryProcess: (process: Handle, kind: number) => Structure | undefined
  /** The real version, which GetVersion hides from programs without a manifest. */
  readVersion: () => { major: number; minor: number; build: number }
}

let loaded: Promise<Ntdll> | undefined

export function loadNtdll(): Promise<Ntdll> {
  loaded ??= bind()
  return loaded
}

async function bind(): Promise<Ntdll> {
  const functions = await bindLibrary<Functions>('ntdll.dll', DECLARATIONS)
  const { address } = await loadKoffi()
  const sizes = new Map<number, number>()
  return {
    querySystem(kind) {
      for (let bytes = sizes.get(kind) ?? FIRST_BYTES; bytes <= MAX_BYTES; bytes *= 2) {
        const buffer = Buffer.alloc(bytes)
        const status = functions.querySystem(kind, buffer, bytes, [0], ...pad(4)) >>> 0
        if (status === LENGTH_MISMATCH) continue
        if (status === INVALID_CLASS) return undefined
        if (status !== 0)
          throw new AgentError(`Windows refused system information ${kind}: status ${status.toString(16)}.`)
        sizes.set(kind, bytes)
        return { buffer, address: address(buffer) }
      }
      throw new AgentError(`Windows has more than ${MAX_BYTES} bytes of system information ${kind}.`)
    },
    queryProcess(process, kind) {
      const buffer = Buffer.alloc(MAX_COMMAND_BYTES)
      const status = functions.queryProcess(process, kind, buffer, buffer.length, [0], ...pad(5))
      return status === 0 ? { buffer, address: address(buffer) } : undefined
    },
    readVersion() {
      const version = Buffer.alloc(VERSION_BYTES)
      version.writeUInt32LE(VERSION_BYTES)
      functions.version(version, ...pad(1))
      const [major, minor, build] = [4, 8, 12].map((at) => version.readUInt32LE(at))
      return { major: major ?? 0, minor: minor ?? 0, build: build ?? 0 }
    },
  }
}

/** UNICODE_STRING: a length in bytes, and a pointer to text without a terminator. */
export function readUnicodeString({ buffer, address }: Structure, offset: number): string {
  const start = Number(buffer.readBigUInt64LE(offset + 8) - address)
  const end = start + buffer.readUInt16LE(offset)
  return start < 0 || end > buffer.length ? '' : buffer.toString('utf16le', start, end)
}
