import { opendir, realpath } from 'node:fs/promises'
import type { Dir } from 'node:fs'
import { type FileEntry, type FolderPart, MOST_LISTED } from '@muster/contract/agent/files'
import { showBytes } from '@muster/rules/raw-path'
import { UserNames } from '../os/linux/user-names.ts'
import { describeEntry, kindOf } from './describe-entry.ts'
import { withSentences } from './file-errors.ts'
import { OwnerNames } from './owner-names.ts'
import { joinPath, readPath, writePath } from './paths.ts'
import { type Named, PickNames } from './pick-names.ts'
import { refusePrivate } from './private-folder.ts'

/** Names read from the system at a time. */
const READ_AT_ONCE = 512
const DESCRIBED_AT_ONCE = 32
const users = new UserNames()

/** A part of a folder; links on the way to it are followed, and the answer says where they led. */
export async function listFolder(
  wish: { path: string; after: string | null; search: string },
  dataFolder: string,
): Promise<FolderPart> {
  return withSentences(async () => {
    const path = await realpath(joinPath(readPath(wish.path)), { encoding: 'buffer' })
    await refusePrivate(path, dataFolder)
    const { picked, total, more } = await pickNames(path, wish)
    const last = picked.at(-1)
    return {
      path: writePath(path),
      shown_path: showBytes(path).slice(0, 4096),
      entries: await describeAll(path, picked),
      total,
      next: more && last !== undefined ? writeMark(last) : null,
    }
  })
}

async function pickNames(path: Buffer, { after, search }: { after: string | null; search: string }) {
  const names = new PickNames(MOST_LISTED, after === null ? undefined : readMark(after))
  const wanted = search.toLowerCase()
  // Bytes instead of text, which the types do not know of.
  const options = { encoding: 'buffer', bufferSize: READ_AT_ONCE } as unknown as { bufferSize: number }
  const folder = (await opendir(path, options)) as unknown as Dir
  for await (const entry of folder) {
    // As asked for above.
    const name = entry.name as unknown as Buffer
    if (wanted === '' || name.toString('utf8').toLowerCase().includes(wanted))
      names.add({ name, isFolder: kindOf(entry as never) === 'folder' })
  }
  return { ...names.finish(), total: names.total }
}

async function describeAll(path: Buffer, picked: readonly Named[]): Promise<FileEntry[]> {
  const owners = new OwnerNames(users)
  const base = path.equals(Buffer.from('/')) ? path : Buffer.concat([path, Buffer.from('/')])
  const entries: (FileEntry | undefined)[] = []
  for (let from = 0; from < picked.length; from += DESCRIBED_AT_ONCE) {
    const some = picked.slice(from, from + DESCRIBED_AT_ONCE)
    entries.push(
      ...(await Promise.all(
        some.map(({ name }) => describeEntry(Buffer.concat([base, name]), name, owners)),
      )),
    )
  }
  return entries.filter((entry) => entry !== undefined)
}

/** Where a part ends, for the next one: what it was sorted by. */
function writeMark({ name, isFolder }: Named): string {
  return `${isFolder ? 'd' : 'f'}${name.toString('base64url')}`
}

function readMark(mark: string): Named {
  return { name: Buffer.from(mark.slice(1), 'base64url'), isFolder: mark.startsWith('d') }
}
