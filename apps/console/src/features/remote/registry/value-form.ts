import {
  parseBytes,
  readRegistryData,
  showBytes,
  writeRegistryData,
} from '@muster/rules/agents/registry-value'

/** Types of a new value; an existing value keeps its type. */
export const NEW_TYPES = [
  'REG_SZ',
  'REG_EXPAND_SZ',
  'REG_MULTI_SZ',
  'REG_DWORD',
  'REG_QWORD',
  'REG_BINARY',
  'REG_NONE',
]

type Kind = 'text' | 'lines' | 'number' | 'bytes'

export interface ValueForm extends Record<string, unknown> {
  name: string
  type: string
  kind: Kind
  text: string
}

const KINDS: Record<string, Kind> = {
  REG_SZ: 'text',
  REG_EXPAND_SZ: 'text',
  REG_LINK: 'text',
  REG_MULTI_SZ: 'lines',
  REG_DWORD: 'number',
  REG_DWORD_BIG_ENDIAN: 'number',
  REG_QWORD: 'number',
}

export const kindOf = (type: string): Kind => KINDS[type] ?? 'bytes'

/** A value for editing; as bytes where other forms would lose data. */
export function formOf({ name, type, bytes }: { name: string; type: string; bytes: string }): ValueForm {
  const raw = Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0))
  const data = readRegistryData(type, raw)
  switch (data.kind) {
    case 'text':
      // A single-line field would drop line ends.
      return /[\r\n]/.test(data.text)
        ? { name, type, kind: 'bytes', text: showBytes(raw) }
        : { name, type, kind: 'text', text: data.text }
    case 'lines':
      return data.lines.some((line) => line === '' || /[\r\n]/.test(line))
        ? { name, type, kind: 'bytes', text: showBytes(raw) }
        : { name, type, kind: 'lines', text: data.lines.join('\n') }
    case 'number':
      return { name, type, kind: 'number', text: `0x${data.number.toString(16)}` }
    case 'bytes':
      return { name, type, kind: 'bytes', text: showBytes(raw) }
  }
}

/** The data to write, base64; undefined = invalid text for this kind. */
export function bytesOf({ type, kind, text }: Pick<ValueForm, 'type' | 'kind' | 'text'>): string | undefined {
  const bytes = kind === 'bytes' ? parseBytes(text) : write(type, kind, text)
  return bytes === undefined
    ? undefined
    : btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

export const WRONG: Record<Kind, string> = {
  text: 'Invalid data.',
  lines: 'Invalid data.',
  number: 'Enter a number such as 10 or 0x0a that fits the type.',
  bytes: 'Enter bytes as two hexadecimal digits each: 0a ff 00.',
}

function write(type: string, kind: Exclude<Kind, 'bytes'>, text: string): Uint8Array | undefined {
  if (kind === 'text') return writeRegistryData(type, { kind, text })
  // An empty line would end the list for readers.
  if (kind === 'lines')
    return writeRegistryData(type, { kind, lines: text.split('\n').filter((line) => line !== '') })
  const digits = text.trim()
  if (!/^(\d+|0x[0-9a-f]+)$/i.test(digits)) return undefined
  return writeRegistryData(type, { kind, number: BigInt(digits) })
}
