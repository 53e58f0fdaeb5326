import { ERROR, findKey, type RegistryKey, require } from './registry-key.ts'

/** Values of the registry that the agent itself reads. Missing keys and values are undefined. */
export async function readText(path: string, name: string): Promise<string | undefined> {
  using key = await findKey(path)
  return key === undefined ? undefined : findText(key, name)
}

export async function keyExists(path: string): Promise<boolean> {
  using key = await findKey(path)
  return key !== undefined
}

/** Names of the subkeys; undefined if the key does not exist. */
export async function listSubkeys(path: string): Promise<string[] | undefined> {
  using key = await findKey(path)
  if (key === undefined) return undefined
  const names: string[] = []
  for (;;) {
    const name = Buffer.alloc(NAME_CHARACTERS * 2)
    const length: [number] = [NAME_CHARACTERS]
    const error = key.advapi.listKey(key.handle, names.length, name, length, null, null, null, null)
    if (error === ERROR.noMoreItems) return names
    require(error, key.path)
    names.push(name.toString('utf16le', 0, length[0] * 2))
  }
}

/** Texts of a key by the names of their values. */
export async function listTexts(path: string): Promise<Map<string, string>> {
  using key = await findKey(path)
  const texts = new Map<string, string>()
  for (let index = 0; key !== undefined; index += 1) {
    const [name, data] = [Buffer.alloc(VALUE_NAME_CHARACTERS * 2), Buffer.alloc(MAX_BYTES)] as const
    const length: [number] = [VALUE_NAME_CHARACTERS]
    const [type, size]: [[number], [number]] = [[0], [MAX_BYTES]]
    const error = key.advapi.listValue(key.handle, index, name, length, null, type, data, size)
    if (error === ERROR.noMoreItems) break
    if (error === ERROR.moreData) continue
    require(error, key.path)
    const value = decodeValue(type[0], data.subarray(0, size[0]))
    if (typeof value === 'string') texts.set(name.toString('utf16le', 0, length[0] * 2), value)
  }
  return texts
}

/** A value as text; the texts of a list are joined with lines. */
export function findText(key: RegistryKey, name: string): string | undefined {
  const value = findValue(key, name)
  return value === undefined ? undefined : String(value)
}

/** A text or a number; undefined for other types and for values above 64 kB. */
export function findValue(key: RegistryKey, name: string): string | number | undefined {
  const found = findData(key, name)
  return found === undefined ? undefined : decodeValue(found.type, found.data)
}

/** The bytes of any value up to 64 kB. */
export function findData(
  { advapi, handle }: RegistryKey,
  name: string,
): { type: number; data: Buffer } | undefined {
  const data = Buffer.alloc(MAX_BYTES)
  const [type, size]: [[number], [number]] = [[0], [MAX_BYTES]]
  const error = advapi.read(handle, name, null, type, data, size)
  return error === ERROR.none ? { type: type[0], data: data.subarray(0, size[0]) } : undefined
}

const NAME_CHARACTERS = 256
const VALUE_NAME_CHARACTERS = 16_384
const MAX_BYTES = 64 * 1024
const TYPES = { text: 1, expandable: 2, number: 4, list: 7, large: 11 }

/** Installers write texts with and without a terminator. */
export function decodeValue(type: number, data: Buffer): string | number | undefined {
  const text = () => data.toString('utf16le').replace(/\0+$/, '')
  if (type === TYPES.text || type === TYPES.expandable) return text().split('\0', 1)[0]
  if (type === TYPES.list) return text().replaceAll('\0', '\n')
  if (type === TYPES.number && data.length >= 4) return data.readUInt32LE()
  if (type === TYPES.large && data.length >= 8) return Number(data.readBigUInt64LE())
  return undefined
}
