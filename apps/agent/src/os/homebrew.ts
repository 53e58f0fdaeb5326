import { readdirSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import type { InstalledPackage } from '@muster/contract/agent/software'

/**
 * What `brew list --versions` says, from the folders that it reads: brew itself refuses to run as root, which agents
 * mostly do.
 */
export function listHomebrew(prefixes: string[]): InstalledPackage[] {
  const rooms = prefixes.flatMap((prefix) => ['Cellar', 'Caskroom'].map((room) => join(prefix, room)))
  return rooms.flatMap((room) =>
    foldersIn(room).flatMap((name) =>
      foldersIn(join(room, name)).map((version) => ({
        name,
        version,
        publisher: '',
        source: 'homebrew' as const,
        size: null,
        install_date: null,
        uninstall: null,
      })),
    ),
  )
}

/** None where there is no such folder. */
function foldersIn(folder: string): string[] {
  let found: Dirent[]
  try {
    found = readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
  return found
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .toSorted()
}
