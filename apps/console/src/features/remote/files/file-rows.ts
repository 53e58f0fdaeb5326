import type { FileEntry, FileKind } from '@muster/contract/agent/files'
import { isWindowsPath } from '@muster/rules/agents/raw-path'
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
  drive: 'Drive',
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
  return kind === 'file' || (kind === 'drive' && size > 0) ? formatFileSize(size) : ''
}

/** "Read-only, hidden". */
export function attributesLabel({ attributes }: FileEntry): string {
  const text = (attributes ?? []).join(', ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** Owner and group; Windows has only an owner. */
export function ownerLabel({ owner, group }: FileEntry): string {
  return group === '' ? owner : `${owner} : ${group}`
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

/** ISO text; undefined for drives, for what could not be described, and for a time outside the calendar. */
export function modifiedAt({ kind, modified_ms, problem, target }: FileEntry): string | undefined {
  if (kind === 'drive' || (problem !== undefined && target === null)) return undefined
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
      return (a.mode ?? 0) - (b.mode ?? 0)
    case 'attributes':
      return attributesLabel(a).localeCompare(attributesLabel(b))
    case 'owner':
      return a.owner.localeCompare(b.owner)
    default:
      return a.name.localeCompare(b.name)
  }
}

/** The error of a file name; null = valid. */
export function checkName(name: string, isWindows: boolean): string | null {
  if (name === '') return 'A name is needed.'
  if (isWindows) return checkWindowsName(name)
  if (name === '.' || name === '..') return 'Reserved name.'
  return name.includes('/') || name.includes('\0') ? 'A name may not contain "/".' : null
}

/** Also refused by the agent. */
const FORBIDDEN_ON_WINDOWS = /[<>:"/\\|?*\p{Cc}]/u

function checkWindowsName(name: string): string | null {
  if (FORBIDDEN_ON_WINDOWS.test(name)) return 'A name may not contain < > : " / \\ | ? or *.'
  return /[. ]$/.test(name) ? 'A name may not end with a dot or a space.' : null
}

/** The error of a folder's path; null = valid. */
export function checkFolder(path: string, isWindows: boolean): string | null {
  if (isWindows) return isWindowsPath(path) ? null : 'Enter the full path of a folder, such as C:\\Users.'
  return path.startsWith('/') ? null : 'Enter the full path of a folder, starting with /.'
}

/** Without separators at the end, except that of a root. */
export function trimEnd(path: string): string {
  return isWindowsPath(path) ? path.replace(/(?<=[^:])[\\/]+$/, '') : path.replace(/(?<=.)\/+$/, '')
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
