import type { FileEntry, FileKind } from '@muster/contract/agent/files'
import { formatFileSize } from '@muster/rules/text/units'
import type { TableSort } from '../../../ui/table/data-column.ts'

export const KIND_LABELS: Record<FileKind, string> = {
  file: 'File',
  folder: 'Folder',
  link: 'Link',
  device: 'Device',
  pipe: 'Pipe',
  socket: 'Socket',
  other: 'Special file',
}

/** The kind that opens: for a link, its target's. */
export function leadsTo({ kind, target }: FileEntry): FileKind | null {
  return target === null ? kind : target.kind
}

/** Opens as a picture. A link's size is not its target's. */
export function isShownAsImage(entry: FileEntry): boolean {
  return leadsTo(entry) === 'file' && isImageName(entry.name) && entry.size <= MAX_IMAGE_BYTES
}

export function sizeLabel({ kind, size }: FileEntry): string {
  return kind === 'file' ? formatFileSize(size) : ''
}

/** `rwxr-xr-x`, with the letters of ls for special bits. */
export function modeLabel(mode: number): string {
  const letters = 'rwxrwxrwx'.split('').map((letter, at) => ((mode >> (8 - at)) & 1 ? letter : '-'))
  const special = [
    [0o4000, 2, 's', 'S'],
    [0o2000, 5, 's', 'S'],
    [0o1000, 8, 't', 'T'],
  ] as const
  for (const [bit, at, both, alone] of special)
    if (mode & bit) letters[at] = letters[at] === 'x' ? both : alone
  return letters.join('')
}

/** ISO text; undefined for a time outside the calendar. */
export function modifiedAt({ modified_ms }: FileEntry): string | undefined {
  const date = new Date(modified_ms)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** Folders stay first. The machine has sorted by name already. */
export function sortEntries(entries: readonly FileEntry[], { column, descending }: TableSort): FileEntry[] {
  const sign = descending ? -1 : 1
  const isLater = (entry: FileEntry) => (entry.kind === 'folder' ? 0 : 1)
  return entries.toSorted(
    (a, b) => isLater(a) - isLater(b) || sign * compareBy(column, a, b) || (a.name < b.name ? -1 : 1),
  )
}

function compareBy(column: string, a: FileEntry, b: FileEntry): number {
  switch (column) {
    case 'size':
      return a.size - b.size
    case 'modified':
      return a.modified_ms - b.modified_ms
    case 'mode':
      return a.mode - b.mode
    case 'owner':
      return a.owner.localeCompare(b.owner)
    default:
      return a.name.localeCompare(b.name)
  }
}

/** The error of a file name; null = valid. */
export function checkName(name: string): string | null {
  if (name === '') return 'A name is needed.'
  if (name === '.' || name === '..') return 'Reserved name.'
  return name.includes('/') || name.includes('\0') ? 'A name may not contain "/".' : null
}

/** Larger pictures are downloaded instead of shown. */
export const MAX_IMAGE_BYTES = 20 * 1024 * 1024

const IMAGE_NAME = /\.(png|jpe?g|gif|webp|bmp|ico|avif)$/i

/** Whether a name has an extension that browsers draw. Not SVG, which can contain scripts. */
const isImageName = (name: string): boolean => IMAGE_NAME.test(name)

/** The signatures: at which byte, with which content. */
const BEGINNINGS: readonly (readonly [type: string, at: number, text: string])[] = [
  ['image/png', 0, '\u0089PNG\r\n\u001A\n'],
  ['image/jpeg', 0, '\u00FF\u00D8\u00FF'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['image/bmp', 0, 'BM'],
  ['image/x-icon', 0, '\u0000\u0000\u0001\u0000'],
  ['image/avif', 4, 'ftypavi'],
]

/** The type by content, regardless of the name; undefined = no supported picture. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  const beginning = String.fromCodePoint(...bytes.subarray(0, 16))
  return BEGINNINGS.find(([, at, text]) => beginning.startsWith(text, at))?.[0]
}
