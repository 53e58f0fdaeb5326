/** Types of Windows registry values by number. */
const TYPE_NAMES = [
  'REG_NONE',
  'REG_SZ',
  'REG_EXPAND_SZ',
  'REG_BINARY',
  'REG_DWORD',
  'REG_DWORD_BIG_ENDIAN',
  'REG_LINK',
  'REG_MULTI_SZ',
  'REG_RESOURCE_LIST',
  'REG_FULL_RESOURCE_DESCRIPTOR',
  'REG_RESOURCE_REQUIREMENTS_LIST',
  'REG_QWORD',
]

/** `REG_SZ`; `REG_0x1234` for an unknown number. */
export function nameOfRegistryType(type: number): string {
  return TYPE_NAMES[type] ?? `REG_0x${type.toString(16)}`
}

/** Undefined = the type does not exist. */
export function numberOfRegistryType(name: string): number | undefined {
  const known = TYPE_NAMES.indexOf(name)
  if (known >= 0) return known
  const [, hex] = /^REG_0x([0-9a-f]{1,8})$/.exec(name) ?? []
  return hex === undefined ? undefined : Number.parseInt(hex, 16)
}

/** The editable form of a value. Values that would not convert back byte for byte are bytes. */
export type RegistryData =
  | { kind: 'text'; text: string }
  | { kind: 'lines'; lines: string[] }
  | { kind: 'number'; number: bigint }
  | { kind: 'bytes' }

export function readRegistryData(type: string, bytes: Uint8Array): RegistryData {
  const data = guess(type, bytes)
  const written = writeRegistryData(type, data)
  const isExact = written?.length === bytes.length && written.every((byte, index) => byte === bytes[index])
  return isExact ? data : { kind: 'bytes' }
}

/** The bytes of a value of this type; undefined if the type has no such form, or the number is too large. */
export function writeRegistryData(type: string, data: RegistryData): Uint8Array | undefined {
  switch (data.kind) {
    case 'text':
      return toUtf16(type === 'REG_LINK' ? data.text : `${data.text}\0`)
    case 'lines':
      return toUtf16(`${data.lines.map((line) => `${line}\0`).join('')}\0`)
    case 'number':
      return toNumberBytes(type, data.number)
    case 'bytes':
      return undefined
  }
}

/** One line for display; `isWhole` false = only the first bytes are given. */
export function showRegistryData(type: string, bytes: Uint8Array, isWhole = true): string {
  const more = isWhole ? '' : ' ...'
  if (TEXT_TYPES.has(type)) return withoutEnd(fromUtf16(bytes)).replaceAll('\0', '\n') + more
  const data = readRegistryData(type, bytes)
  if (data.kind === 'number')
    return `0x${data.number.toString(16).padStart(bytes.length * 2, '0')} (${data.number})`
  return showBytes(bytes) + more
}

/** `0a ff 00`. */
export function showBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
}

/** Parses bytes as `showBytes` writes them, with any white space or commas between; undefined = invalid. */
export function parseBytes(text: string): Uint8Array | undefined {
  const digits = text.replaceAll(/[\s,]/g, '')
  if (!/^([0-9a-f]{2})*$/i.test(digits)) return undefined
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

const TEXT_TYPES = new Set(['REG_SZ', 'REG_EXPAND_SZ', 'REG_LINK', 'REG_MULTI_SZ'])
const NUMBER_BYTES: Record<string, number> = { REG_DWORD: 4, REG_DWORD_BIG_ENDIAN: 4, REG_QWORD: 8 }

function guess(type: string, bytes: Uint8Array): RegistryData {
  if (type === 'REG_MULTI_SZ') {
    const text = fromUtf16(bytes)
    return { kind: 'lines', lines: text === '\0' ? [] : text.slice(0, -2).split('\0') }
  }
  if (TEXT_TYPES.has(type)) return { kind: 'text', text: withoutEnd(fromUtf16(bytes)) }
  if (NUMBER_BYTES[type] === bytes.length) {
    const inOrder = type === 'REG_DWORD_BIG_ENDIAN' ? bytes : bytes.toReversed()
    return { kind: 'number', number: inOrder.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n) }
  }
  return { kind: 'bytes' }
}

function toNumberBytes(type: string, number: bigint): Uint8Array | undefined {
  const length = NUMBER_BYTES[type]
  if (length === undefined || number < 0n || number >= 256n ** BigInt(length)) return undefined
  const bytes = Uint8Array.from({ length }, (_, index) => Number((number >> BigInt(8 * index)) & 255n))
  return type === 'REG_DWORD_BIG_ENDIAN' ? bytes.toReversed() : bytes
}

function withoutEnd(text: string): string {
  return text.replace(/\0{1,2}$/, '')
}

function fromUtf16(bytes: Uint8Array): string {
  let text = ''
  for (let index = 0; index + 1 < bytes.length; index += 2)
    text += String.fromCharCode((bytes[index] ?? 0) | ((bytes[index + 1] ?? 0) << 8))
  return text
}

function toUtf16(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 2)
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    bytes[index * 2] = unit & 255
    bytes[index * 2 + 1] = unit >> 8
  }
  return bytes
}
