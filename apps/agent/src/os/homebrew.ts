import { readdirSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import type { InstalledPackage } from '@muster/contract/agent/software'

/** The result of `brew list --versions`, read from the folders, because brew refuses to run as root. */
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

/** Empty if the folder does not exist. */
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
