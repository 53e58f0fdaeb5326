import { opendir } from 'node:fs/promises'
import { type FileEntry, type FolderPart, MAX_LISTED_ENTRIES } from '@muster/contract/agent/files'
import { showBytes } from '@muster/rules/agents/raw-path'
import { describeEntry, type EntrySystem, openEntrySystem } from './describe-entry.ts'
import { withSentences } from './file-errors.ts'
import type { FileSurroundings } from './file-operations.ts'
import { MountStats } from './mount-stats.ts'
import { isWindows, joinPath, readPath, refusePrivate, resolveLinks, showPath, writePath } from './paths.ts'

/** A name in a folder with its sort key. */
interface Named {
  /** Its bytes, one character each: a million strings cost half the time of a million buffers. */
  name: string
  isFolder: boolean
}

/**
 * Collects the first names after a given one. Only a few are kept at any time, so that a folder with a million
 * entries costs no memory.
 */
class PickNames {
  total = 0
  #most: number
  #after: Named | undefined
  #picked: Named[] = []
  #last: Named | undefined
  /** Number of names after the given one. */
  #rest = 0

  constructor(most: number, after: Named | undefined) {
    this.#most = most
    this.#after = after
  }

  add(named: Named): void {
    this.total += 1
    if (this.#after !== undefined && compareNamed(named, this.#after) <= 0) return
    this.#rest += 1
    if (this.#last !== undefined && compareNamed(named, this.#last) > 0) return
    this.#picked.push(named)
    if (this.#picked.length >= 4 * this.#most) this.#cut()
  }

  /** Sorted; `more` = further names follow. */
  finish(): { picked: Named[]; more: boolean } {
    this.#cut()
    return { picked: this.#picked, more: this.#rest > this.#picked.length }
  }

  #cut(): void {
    this.#picked.sort(compareNamed)
    this.#picked.length = Math.min(this.#picked.length, this.#most)
    if (this.#picked.length === this.#most) this.#last = this.#picked.at(-1)
  }
}

function compareNamed(a: Named, b: Named): number {
  if (a.isFolder !== b.isFolder) return a.isFolder ? -1 : 1
  return a.name === b.name ? 0 : a.name < b.name ? -1 : 1
}

/** Names read from the system at a time. */
const READ_AT_ONCE = 512
const DESCRIBED_AT_ONCE = 32

/** Lists a part of a folder. Links on the way are followed, and the result says where they led. */
export async function listFolder(
  request: { path: string; after: string | null; search: string },
  { dataFolder, networkMounts }: Pick<FileSurroundings, 'dataFolder' | 'networkMounts'>,
): Promise<FolderPart> {
  return withSentences(async () => {
    const names = await resolveLinks(readPath(request.path))
    if (isWindows && names.length === 0)
      return (await import('./list-drives.ts')).listDrives(request.search.toLowerCase())
    await refusePrivate(names, dataFolder)
    const { picked, total, more } = await pickNames(joinPath(names), request)
    const last = picked.at(-1)
    return {
      path: writePath(names),
      shown_path: showBytes(showPath(names)).slice(0, 4096),
      entries: await describeAll(names, picked, new MountStats(networkMounts)),
      total,
      next: more && last !== undefined ? writeMark(last) : null,
    }
  })
}

async function pickNames(path: Buffer, { after, search }: { after: string | null; search: string }) {
  const names = new PickNames(MAX_LISTED_ENTRIES, after === null ? undefined : readMark(after))
  const wanted = search.toLowerCase()
  await using folder = await opendir(path, { encoding: 'latin1', bufferSize: READ_AT_ONCE })
  for (let entry = await folder.read(); entry !== null; entry = await folder.read()) {
    // Buffered names are read without a promise for each. Other work runs between two batches.
    for (let left = READ_AT_ONCE; entry !== null; entry = --left > 0 ? folder.readSync() : null) {
      const { name } = entry
      if (wanted === '' || bytesOf(name).toString('utf8').toLowerCase().includes(wanted))
        names.add({ name, isFolder: entry.isDirectory() })
    }
  }
  return { ...names.finish(), total: names.total }
}

async function describeAll(
  folder: readonly Buffer[],
  picked: readonly Named[],
  mounts: MountStats,
): Promise<FileEntry[]> {
  const system: EntrySystem = await openEntrySystem()
  const entries: (FileEntry | undefined)[] = []
  for (let from = 0; from < picked.length; from += DESCRIBED_AT_ONCE) {
    const some = picked.slice(from, from + DESCRIBED_AT_ONCE)
    entries.push(
      ...(await Promise.all(
        some.map(({ name }) => describeEntry([...folder, bytesOf(name)], { system, mounts })),
      )),
    )
  }
  return entries.filter((entry) => entry !== undefined)
}

/** The sort key of the last name, for the next page. */
function writeMark({ name, isFolder }: Named): string {
  return `${isFolder ? 'd' : 'f'}${bytesOf(name).toString('base64url')}`
}

function readMark(mark: string): Named {
  return { name: Buffer.from(mark.slice(1), 'base64url').toString('latin1'), isFolder: mark.startsWith('d') }
}

const bytesOf = (name: string): Buffer => Buffer.from(name, 'latin1')
