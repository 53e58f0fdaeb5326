import type { RegistryChange, RegistryChanged } from '@muster/contract/agent/registry'
import { MachineRefused } from '../../machine-refused.ts'
import { findValue } from './read-registry.ts'
import { ACCESS, createKey, openKey, type RegistryKey, require, splitLast } from './registry-key.ts'

/** Limit for the part of an old value that goes to the audit log. */
const MOST_TOLD_BYTES = 16 * 1024
const MOST_MOVED_BYTES = 16 * 1024 * 1024

/**
 * Applies one change, and returns the previous value. Existing keys and values are replaced only if the change says
 * so.
 */
export async function changeRegistry(change: RegistryChange): Promise<RegistryChanged> {
  switch (change.change) {
    case 'create-key':
      return makeKey(change.path)
    case 'rename-key':
      return renameKey(change.path, change.new_name)
    case 'delete-key':
      return deleteKey(change.path)
    case 'set-value':
      return setValue(change)
    case 'rename-value':
      return renameValue(change)
    case 'delete-value':
      return deleteValue(change)
  }
}

async function makeKey(path: string): Promise<RegistryChanged> {
  const made = await createKey(path)
  made[Symbol.dispose]()
  return { before: null }
}

async function setValue(change: Extract<RegistryChange, { change: 'set-value' }>): Promise<RegistryChanged> {
  using key = await openKey(change.path, ACCESS.write)
  const before = findValue(key, change.name, MOST_TOLD_BYTES)
  if (change.is_new && before !== undefined) throw new MachineRefused(`"${change.name}" already exists.`)
  write(key, change.name, { type: change.type, data: Buffer.from(change.bytes, 'base64') })
  return { before: before ?? null }
}

async function deleteValue({ path, name }: { path: string; name: string }): Promise<RegistryChanged> {
  using key = await openKey(path, ACCESS.write)
  const before = requireValue(key, name, MOST_TOLD_BYTES)
  require(key.advapi.deleteValue(key.handle, name), path)
  return { before }
}

/** Windows cannot rename a value: it is written under the new name, then deleted under the old one. */
async function renameValue({
  path,
  name,
  new_name,
}: Extract<RegistryChange, { change: 'rename-value' }>): Promise<RegistryChanged> {
  using key = await openKey(path, ACCESS.write)
  const { type, bytes, size } = requireValue(key, name, MOST_MOVED_BYTES)
  if (bytes === null) throw new MachineRefused(`"${name}" is too large to rename: ${size} bytes.`)
  if (name.toLowerCase() === new_name.toLowerCase())
    throw new MachineRefused('Windows treats both names as the same.')
  if (findValue(key, new_name, 0) !== undefined) throw new MachineRefused(`"${new_name}" already exists.`)
  write(key, new_name, { type, data: Buffer.from(bytes, 'base64') })
  require(key.advapi.deleteValue(key.handle, name), path)
  return { before: requireTold({ type, bytes, size }) }
}

async function deleteKey(path: string): Promise<RegistryChanged> {
  const { parent, name } = splitLast(path)
  refuseHive(parent, path)
  using above = await openKey(parent, ACCESS.all)
  require(above.advapi.deleteTree(above.handle, name), path)
  return { before: null }
}

/** Copied with all subkeys under the new name, then deleted under the old one. */
async function renameKey(path: string, newName: string): Promise<RegistryChanged> {
  const { parent, name } = splitLast(path)
  refuseHive(parent, path)
  if (name.toLowerCase() === newName.toLowerCase())
    throw new MachineRefused('Windows treats both names as the same.')
  using from = await openKey(path)
  const target = `${parent}\\${newName}`
  const error = await copyTo(from, target)
  using above = await openKey(parent, ACCESS.all)
  if (error !== 0) above.advapi.deleteTree(above.handle, newName)
  require(error, path)
  require(above.advapi.deleteTree(above.handle, name), path)
  return { before: null }
}

async function copyTo(from: RegistryKey, target: string): Promise<number> {
  using to = await createKey(target)
  return from.advapi.copyTree(from.handle, null, to.handle)
}

/** Direct children of these are registry files and cannot be deleted. */
function refuseHive(parent: string, path: string): void {
  if (parent === 'HKEY_LOCAL_MACHINE' || parent === 'HKEY_USERS')
    throw new MachineRefused(`"${path}" is part of the registry itself.`)
}

function write(key: RegistryKey, name: string, { type, data }: { type: number; data: Buffer }): void {
  // A buffer without bytes has no address.
  const room = data.length === 0 ? Buffer.alloc(1) : data
  require(key.advapi.write(key.handle, name, 0, type, room, data.length), key.path)
}

function requireValue(key: RegistryKey, name: string, most: number) {
  const value = findValue(key, name, most)
  if (value === undefined) throw new MachineRefused(`"${key.path}" no longer has this value.`)
  return value
}

function requireTold({ type, bytes, size }: { type: number; bytes: string; size: number }) {
  return { type, size, bytes: size > MOST_TOLD_BYTES ? null : bytes }
}
