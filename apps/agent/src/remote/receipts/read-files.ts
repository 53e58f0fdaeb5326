import { lstatSync, opendirSync, type Stats } from 'node:fs'
import { join } from 'node:path'

/** Entries of the folder and all below it; a machine with more says so. */
const MOST_FILES = 20_000
const MODE_BITS = 0o7777

/** The files below a folder, by what the file system says of them; none is opened and no link is followed. */
export function readFiles(folder: string): Record<string, string> {
  const files: Record<string, string> = {}
  const waiting = [folder]
  let seen = 0
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const name of listNames(at)) {
      seen += 1
      if (seen > MOST_FILES)
        throw new Error(`There are more than ${MOST_FILES} files below ${folder}, so they were not compared.`)
      const path = join(at, name)
      const stats = statOf(path)
      if (stats === undefined) continue
      if (stats.isDirectory()) waiting.push(path)
      else files[path] = describe(stats)
    }
  }
  return files
}

/** What people read comes before `|`; the rest tells that something else was changed as well. */
function describe(stats: Stats): string {
  const { size, mode, uid, gid, mtimeMs, ctimeMs, ino } = stats
  const rights = (mode & MODE_BITS).toString(8).padStart(4, '0')
  return `${size} bytes, ${rights}, ${uid}:${gid}|${mtimeMs} ${ctimeMs} ${ino}`
}

function listNames(folder: string): string[] {
  const names: string[] = []
  try {
    using opened = opendirSync(folder)
    for (
      let entry = opened.readSync();
      entry !== null && names.length <= MOST_FILES;
      entry = opened.readSync()
    )
      names.push(entry.name)
  } catch {
    // It has just been removed, or is not the agent's to look into.
  }
  return names
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}
