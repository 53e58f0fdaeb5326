import {
  parseBytes,
  readRegistryData,
  showBytes,
  writeRegistryData,
} from '@muster/rules/agents/registry-value'

/** What a new value may be; one that is there keeps its type. */
export const NEW_TYPES = [
  'REG_SZ',
  'REG_EXPAND_SZ',
  'REG_MULTI_SZ',
  'REG_DWORD',
  'REG_QWORD',
  'REG_BINARY',
  'REG_NONE',
]

export type Kind = 'text' | 'lines' | 'number' | 'bytes'

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

/** A value as it is edited; as bytes where anything else would lose some of it. */
export function formOf({ name, type, bytes }: { name: string; type: string; bytes: string }): ValueForm {
  const raw = Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0))
  const data = readRegistryData(type, raw)
  switch (data.kind) {
    case 'text':
      // A field of one line would drop the ends of lines.
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

/** What is to be written, base64; undefined = the text is none of this kind. */
export function bytesOf({ type, kind, text }: Pick<ValueForm, 'type' | 'kind' | 'text'>): string | undefined {
  const bytes = kind === 'bytes' ? parseBytes(text) : write(type, kind, text)
  return bytes === undefined
    ? undefined
    : btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

export const WRONG: Record<Kind, string> = {
  text: 'This cannot be written.',
  lines: 'This cannot be written.',
  number: 'A number such as 10 or 0x0a, not too large for the type.',
  bytes: 'Bytes as two hexadecimal digits each: 0a ff 00.',
}

function write(type: string, kind: Exclude<Kind, 'bytes'>, text: string): Uint8Array | undefined {
  if (kind === 'text') return writeRegistryData(type, { kind, text })
  // An empty line would end the list for whoever reads it.
  if (kind === 'lines')
    return writeRegistryData(type, { kind, lines: text.split('\n').filter((line) => line !== '') })
  const digits = text.trim()
  if (!/^(\d+|0x[0-9a-f]+)$/i.test(digits)) return undefined
  return writeRegistryData(type, { kind, number: BigInt(digits) })
}
