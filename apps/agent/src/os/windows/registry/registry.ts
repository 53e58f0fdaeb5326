import {
  type FoundValue,
  MAX_VALUE_BYTES,
  PREVIEW_BYTES,
  REGISTRY_PAGE,
  type RegistryChange,
  type RegistryChanged,
  type RegistryPage,
  type RegistryValue,
  type WholeValue,
} from '@muster/contract/agent/registry'
import { AgentError } from '../../../errors.ts'
import type { RegistryTools } from '../../os.ts'
import type { Handle } from '../win32.ts'
import {
  ACCESS,
  createKey,
  ERROR,
  findKey,
  openKey,
  type RegistryKey,
  require,
  ROOT_NAMES,
  splitLast,
} from './registry-key.ts'

/** The maximum lengths of names, in characters, including the terminator. */
const KEY_NAME = 256
const VALUE_NAME = 16_384
/** Limit for a reply, and for a message between two server processes. */
const MAX_CHARACTERS = 200_000

/** Returns some subkeys and values of a key, from these positions on. An empty path lists the roots. */
async function readKey(given: {
  path: string
  keys_from: number
  values_from: number
}): Promise<RegistryPage> {
  if (given.path === '') {
    const subkeys = ROOT_NAMES.map((name) => ({ name, has_subkeys: true }))
    return {
      path: '',
      subkeys,
      values: [],
      next_keys: null,
      next_values: null,
      key_count: subkeys.length,
      value_count: 0,
    }
  }
  using key = await openKey(given.path)
  const { keys, values } = count(key)
  const room = { characters: MAX_CHARACTERS }
  const subkeys = take(
    given.keys_from,
    room,
    (index) => readSubkey(key, index),
    ({ name }) => name.length + 40,
  )
  const found = take(
    given.values_from,
    room,
    (index) => readValueAt(key, index),
    ({ name, bytes }) => name.length + bytes.length + 80,
  )
  return {
    path: key.path,
    subkeys: subkeys.found,
    values: found.found,
    next_keys: subkeys.next,
    next_values: found.next,
    key_count: keys,
    value_count: values,
  }
}

/** Returns one whole value. */
async function readValue({ path, name }: { path: string; name: string }): Promise<WholeValue> {
  using key = await openKey(path)
  const value = findValue(key, name, MAX_VALUE_BYTES)
  if (value === undefined) throw new AgentError(`"${path}" no longer has this value.`)
  return value
}

/** Returns one whole value, or how much of its key is missing. */
async function findWholeValue({ path, name }: { path: string; name: string }): Promise<FoundValue> {
  let missing = 0
  for (let key = path; ; missing += 1, key = splitLast(key).parent) {
    using found = await findKey(key)
    if (found === undefined) continue
    const value = missing === 0 ? findValue(found, name, MAX_VALUE_BYTES) : undefined
    return { value: value ?? null, missing_keys: missing }
  }
}

/** A value of an open key; undefined if missing. For larger values only the size is returned. */
function findValue(
  { advapi, handle, path }: RegistryKey,
  name: string,
  most: number,
): WholeValue | undefined {
  for (;;) {
    const type: [number] = [0]
    const size: [number] = [0]
    const first = advapi.read(handle, name, null, type, null, size)
    if (first === ERROR.notFound) return undefined
    require(first, path)
    if (size[0] > most) return { type: type[0], size: size[0], bytes: null }
    const data = Buffer.alloc(Math.max(1, size[0]))
    const read: [number] = [data.length]
    const error = advapi.read(handle, name, null, type, data, read)
    // It has grown meanwhile.
    if (error === ERROR.moreData) continue
    require(error, path)
    return { type: type[0], size: read[0], bytes: data.subarray(0, read[0]).toString('base64') }
  }
}

export function count({ advapi, handle, path }: RegistryKey): { keys: number; values: number } {
  const [keys, values, unused]: [number][] = [[0], [0], [0]]
  if (keys === undefined || values === undefined || unused === undefined) throw new Error('three of three')
  const error = advapi.count(handle, null, null, null, keys, unused, null, values, [0], [0], null, null)
  require(error, path)
  return { keys: keys[0], values: values[0] }
}

/** As many as fit from a position on. `next` is the next position; null = the end. */
function take<Item>(
  from: number,
  room: { characters: number },
  read: (index: number) => Item | undefined,
  lengthOf: (item: Item) => number,
): { found: Item[]; next: number | null } {
  const found: Item[] = []
  for (let index = from; ; index += 1) {
    if (found.length >= REGISTRY_PAGE || (room.characters < 0 && found.length > 0))
      return { found, next: index }
    const item = read(index)
    if (item === undefined) return { found, next: null }
    found.push(item)
    room.characters -= lengthOf(item)
  }
}

function readSubkey({ advapi, handle, path }: RegistryKey, index: number) {
  const name = Buffer.alloc(KEY_NAME * 2)
  const length: [number] = [KEY_NAME]
  const error = advapi.listKey(handle, index, name, length, null, null, null, null)
  if (error === ERROR.noMoreItems) return undefined
  require(error, path)
  const text = name.toString('utf16le', 0, length[0] * 2)
  return { name: text, has_subkeys: hasSubkeys(text) }

  /** Unknown for a key that cannot be opened: opening it reports why. */
  function hasSubkeys(subkey: string): boolean {
    const opened: [Handle] = [0]
    if (advapi.open(handle, subkey, 0, ACCESS.read, opened) !== ERROR.none) return true
    using below = { advapi, handle: opened[0], path, [Symbol.dispose]: () => void advapi.close(opened[0]) }
    return count(below).keys > 0
  }
}

/** A value by its position, with the start of its data. */
function readValueAt({ advapi, handle, path }: RegistryKey, index: number): RegistryValue | undefined {
  for (let room = 1024; ; room *= 2) {
    const name = Buffer.alloc(VALUE_NAME * 2)
    const length: [number] = [VALUE_NAME]
    const type: [number] = [0]
    const data = Buffer.alloc(room)
    const size: [number] = [room]
    const error = advapi.listValue(handle, index, name, length, null, type, data, size)
    if (error === ERROR.noMoreItems) return undefined
    if (error === ERROR.moreData) {
      room = Math.max(room, size[0])
      continue
    }
    require(error, path)
    return {
      name: name.toString('utf16le', 0, length[0] * 2),
      type: type[0],
      size: size[0],
      bytes: data.subarray(0, Math.min(size[0], PREVIEW_BYTES)).toString('base64'),
    }
  }
}

/** Limit for the part of an old value that goes to the audit log. */
const MAX_REPORTED_BYTES = 16 * 1024
const MAX_MOVED_BYTES = 16 * 1024 * 1024

/**
 * Applies one change, and returns the previous value. Existing keys and values are replaced only if the change says
 * so.
 */
async function changeRegistry(change: RegistryChange): Promise<RegistryChanged> {
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
  const before = findValue(key, change.name, MAX_REPORTED_BYTES)
  if (change.is_new && before !== undefined) throw new AgentError(`"${change.name}" already exists.`)
  write(key, change.name, { type: change.type, data: Buffer.from(change.bytes, 'base64') })
  return { before: before ?? null }
}

async function deleteValue({ path, name }: { path: string; name: string }): Promise<RegistryChanged> {
  using key = await openKey(path, ACCESS.write)
  const before = requireValue(key, name, MAX_REPORTED_BYTES)
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
  const { type, bytes, size } = requireValue(key, name, MAX_MOVED_BYTES)
  if (bytes === null) throw new AgentError(`"${name}" is too large to rename: ${size} bytes.`)
  if (name.toLowerCase() === new_name.toLowerCase())
    throw new AgentError('Windows treats both names as the same.')
  if (findValue(key, new_name, 0) !== undefined) throw new AgentError(`"${new_name}" already exists.`)
  write(key, new_name, { type, data: Buffer.from(bytes, 'base64') })
  require(key.advapi.deleteValue(key.handle, name), path)
  return { before: requireFound({ type, bytes, size }) }
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
    throw new AgentError('Windows treats both names as the same.')
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
    throw new AgentError(`"${path}" is part of the registry itself.`)
}

function write(key: RegistryKey, name: string, { type, data }: { type: number; data: Buffer }): void {
  // A buffer without bytes has no address.
  const room = data.length === 0 ? Buffer.alloc(1) : data
  require(key.advapi.write(key.handle, name, 0, type, room, data.length), key.path)
}

function requireValue(key: RegistryKey, name: string, most: number) {
  const value = findValue(key, name, most)
  if (value === undefined) throw new AgentError(`"${key.path}" no longer has this value.`)
  return value
}

function requireFound({ type, bytes, size }: { type: number; bytes: string; size: number }) {
  return { type, size, bytes: size > MAX_REPORTED_BYTES ? null : bytes }
}

export const windowsRegistry: RegistryTools = {
  readKey,
  readValue,
  findValue: findWholeValue,
  change: changeRegistry,
}
