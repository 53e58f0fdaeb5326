import { lstat } from 'node:fs/promises'
import {
  type FileAccess,
  type FileAttribute,
  type FileRight,
  MAX_ACCESS_ENTRIES,
} from '@muster/contract/agent/files'
import { AgentError } from '../../errors.ts'
import { findAccount } from '../../os/windows/accounts.ts'
import { loadFileCalls } from '../../os/windows/file-calls.ts'
import { loadFileSecurity } from '../../os/windows/file-security.ts'
import type { AccessEntry } from '../../os/windows/security-descriptor.ts'
import { type EntrySystem, kindOfMode } from './describe-entry.ts'
import { withSentences } from './file-errors.ts'
import { openParent } from './open-parent.ts'
import { isWindows } from './paths.ts'

/** FILE_ATTRIBUTE_*. Source: Windows API, "File Attribute Constants". */
const ATTRIBUTES: readonly (readonly [flag: number, name: FileAttribute])[] = [
  [0x1, 'read-only'],
  [0x2, 'hidden'],
  [0x4, 'system'],
  [0x800, 'compressed'],
  [0x4000, 'encrypted'],
  [0x1000, 'offline'],
]

/** FILE_GENERIC_* and what Windows' own dialogs call them: each with the bits that it needs. */
const RIGHTS: readonly (readonly [mask: number, right: FileRight])[] = [
  [0x1f_01ff, 'full'],
  [0x13_01bf, 'modify'],
  [0x12_00a9, 'read-execute'],
  [0x12_0089, 'read'],
  [0x10_0116, 'write'],
]
/** GENERIC_*, which only entries for what will be created have, and the rights that they become. */
const GENERIC: readonly (readonly [bit: number, mask: number])[] = [
  [0x1000_0000, 0x1f_01ff],
  [0x2000_0000, 0x12_00a0],
  [0x4000_0000, 0x12_0116],
  [0x8000_0000, 0x12_0089],
]
const INHERIT_ONLY = 8
const TO_CONTENT = 3

export async function openWindowsRights(): Promise<EntrySystem> {
  const { attributesOf } = await loadFileCalls()
  const { ownerOf } = await loadFileSecurity()
  return {
    async describeRights(path, found) {
      const text = path.toString()
      const flags = attributesOf(text)
      // Windows would follow a link, also to another computer.
      const owner = kindOfMode(found.mode) === 'link' ? undefined : ownerOf(text)
      return {
        mode: null,
        attributes: ATTRIBUTES.filter(([flag]) => (flags & flag) !== 0).map(([, name]) => name),
        owner: owner === undefined ? '' : (await findAccount(owner)).slice(0, 64),
        group: '',
      }
    },
  }
}

/** The owner and the access list of a file or folder. */
export async function readAccess(rawPath: string, dataFolder: string): Promise<FileAccess> {
  return withSentences(async () => {
    if (!isWindows) throw new AgentError('Only Windows has access lists.')
    await using parent = await openParent(rawPath, dataFolder)
    if ((await lstat(parent.at())).isSymbolicLink())
      throw new AgentError('This is a link. Its permissions are not shown.')
    const security = await loadFileSecurity()
    const found = security.read(parent.at().toString())
    if (found === undefined) throw new AgentError('Windows does not let the agent read these permissions.')
    const nameOf = async (sid: Buffer) => (await findAccount(sid)).slice(0, 300)
    const describe = async (entry: AccessEntry) => ({
      name: await nameOf(entry.sid),
      allowed: entry.isAllowed,
      rights: nameRights(entry.mask),
      inherited: entry.isInherited,
      applies: describeScope(entry.inheritance),
    })
    const entries = found.entries?.slice(0, MAX_ACCESS_ENTRIES)
    return {
      owner: found.owner === undefined ? '' : await nameOf(found.owner),
      inherits: found.inherits,
      entries: entries === undefined ? null : await Promise.all(entries.map(describe)),
    }
  })
}

/** The rights that a mask holds as a whole; bits that belong to none of them are special. */
export function nameRights(mask: number): FileRight[] {
  let left = GENERIC.reduce(
    (all, [bit, rights]) => ((mask & bit) === 0 ? all : all | rights),
    mask & 0x1f_ffff,
  )
  const whole = left
  const rights: FileRight[] = []
  for (const [needed, right] of RIGHTS) {
    // A larger right includes the smaller ones.
    if ((whole & needed) !== needed || (left & needed) === 0) continue
    rights.push(right)
    left &= ~needed
  }
  // SYNCHRONIZE and READ_CONTROL belong to each.
  if ((left & ~0x12_0000) !== 0 || rights.length === 0) rights.push('special')
  return rights
}

function describeScope(inheritance: number): 'this' | 'all' | 'below' {
  if ((inheritance & TO_CONTENT) === 0) return 'this'
  return (inheritance & INHERIT_ONLY) === 0 ? 'all' : 'below'
}
