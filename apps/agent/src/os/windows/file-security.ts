import { bindLibrary, type Call } from './win32.ts'
import { readSecurityDescriptor, type SecurityDescriptor } from './security-descriptor.ts'

interface Advapi {
  read: Call<[path: string, parts: number, bytes: Buffer, size: number, needed: Buffer]>
  write: Call<[path: string, parts: number, bytes: Buffer]>
}
const ADVAPI: Record<keyof Advapi, string> = {
  read: 'int __stdcall GetFileSecurityW(str16, uint32_t, uint8_t *, uint32_t, uint8_t *)',
  write: 'int __stdcall SetFileSecurityW(str16, uint32_t, uint8_t *)',
}

const OWNER = 1
const GROUP = 2
const ACCESS_LIST = 4
const USUAL_BYTES = 1024
/** SE_DACL_AUTO_INHERIT_REQ in the control word, without which the list would no longer count as inherited. */
const KEEP_INHERITANCE = 0x0100
const AUTO_INHERITED = 0x0400

export interface FileSecurity {
  /** The owner's SID; undefined if the agent may not read it. */
  ownerOf: (path: string) => Buffer | undefined
  /** Undefined = the agent may not read it. */
  read: (path: string) => SecurityDescriptor | undefined
  /** Owner, group and access list; only the list if the owner cannot be set. Returns false if neither can. */
  copy: (from: string, to: string) => boolean
}

let loaded: Promise<FileSecurity> | undefined

export async function loadFileSecurity(): Promise<FileSecurity> {
  return (loaded ??= bindLibrary<Advapi>('advapi32.dll', ADVAPI).then(makeSecurity))
}

function makeSecurity(advapi: Advapi): FileSecurity {
  const readBytes = (path: string, parts: number, size = USUAL_BYTES): Buffer | undefined => {
    const [bytes, needed] = [Buffer.alloc(size), Buffer.alloc(4)]
    if (advapi.read(path, parts, bytes, size, needed) !== 0) return bytes
    const neededBytes = needed.readUInt32LE()
    return neededBytes > size ? readBytes(path, parts, neededBytes) : undefined
  }
  return {
    ownerOf(path) {
      const bytes = readBytes(path, OWNER)
      return bytes === undefined ? undefined : readSecurityDescriptor(bytes).owner
    },
    read(path) {
      const bytes = readBytes(path, OWNER | ACCESS_LIST)
      return bytes === undefined ? undefined : readSecurityDescriptor(bytes)
    },
    copy(from, to) {
      const bytes = readBytes(from, OWNER | GROUP | ACCESS_LIST)
      if (bytes === undefined) return false
      const control = bytes.readUInt16LE(2)
      if ((control & AUTO_INHERITED) !== 0) bytes.writeUInt16LE(control | KEEP_INHERITANCE, 2)
      return (
        advapi.write(to, OWNER | GROUP | ACCESS_LIST, bytes) !== 0 ||
        advapi.write(to, ACCESS_LIST, bytes) !== 0
      )
    },
  }
}
