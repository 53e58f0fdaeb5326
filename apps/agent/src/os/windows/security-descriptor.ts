/** An entry of an access list. */
export interface AccessEntry {
  sid: Buffer
  isAllowed: boolean
  /** ACCESS_MASK: what is allowed or denied. */
  mask: number
  isInherited: boolean
  /** OBJECT_INHERIT_ACE 1, CONTAINER_INHERIT_ACE 2, NO_PROPAGATE 4, INHERIT_ONLY 8. */
  inheritance: number
}

/**
 * A security descriptor. Source: Windows API, SECURITY_DESCRIPTOR in its self-relative form (control at byte 2; owner,
 * group, system and access list as offsets from byte 4 on), ACL (count at byte 4, entries from byte 8 on) and ACE_HEADER.
 */
export interface SecurityDescriptor {
  owner: Buffer | undefined
  /** Undefined = no access list: everyone may do everything. */
  entries: AccessEntry[] | undefined
  /** Whether it also has the entries of its folder. */
  inherits: boolean
}

const PROTECTED = 0x1000
const OWNER_AT = 4
const LIST_AT = 16
const INHERITED = 0x10
/** ACCESS_ALLOWED_ACE_TYPE and ACCESS_DENIED_ACE_TYPE. Those for objects and callbacks are rare on files. */
const ALLOWED = 0
const DENIED = 1

export function readSecurityDescriptor(bytes: Buffer): SecurityDescriptor {
  const owner = bytes.readUInt32LE(OWNER_AT)
  const list = bytes.readUInt32LE(LIST_AT)
  return {
    owner: owner === 0 ? undefined : readSid(bytes, owner),
    entries: list === 0 ? undefined : readEntries(bytes, list),
    inherits: (bytes.readUInt16LE(2) & PROTECTED) === 0,
  }
}

function readEntries(bytes: Buffer, list: number): AccessEntry[] {
  const entries: AccessEntry[] = []
  let at = list + 8
  for (let left = bytes.readUInt16LE(list + 4); left > 0; left -= 1) {
    const type = bytes.readUInt8(at)
    const flags = bytes.readUInt8(at + 1)
    if (type === ALLOWED || type === DENIED)
      entries.push({
        sid: readSid(bytes, at + 8),
        isAllowed: type === ALLOWED,
        mask: bytes.readUInt32LE(at + 4),
        isInherited: (flags & INHERITED) !== 0,
        inheritance: flags & 0xf,
      })
    at += bytes.readUInt16LE(at + 2)
  }
  return entries
}

/** SID: its number of parts at byte 1, each of 4 bytes after the first 8. */
function readSid(bytes: Buffer, at: number): Buffer {
  return bytes.subarray(at, at + 8 + 4 * bytes.readUInt8(at + 1))
}
