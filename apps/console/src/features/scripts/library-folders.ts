import type { Script } from '@muster/contract/api/scripts'
import { toSortKey } from '@muster/rules/search/tree-order'
import type { TreeLine } from '../../ui/table/tree-keys.ts'

export type LibraryLine = TreeLine &
  ({ kind: 'folder'; category: string; count: number } | { kind: 'script'; script: Script })

const UNASSIGNED = 'Unassigned'

/** Each category as a folder of its scripts, by name; uncategorized scripts come last. */
export function listFolders(
  scripts: readonly Script[],
  isOpen: (category: string) => boolean,
): LibraryLine[] {
  const folders = Object.entries(Object.groupBy(scripts, ({ category }) => category)).toSorted(
    ([a], [b]) => Number(a === '') - Number(b === '') || compare(a, b),
  )
  return folders.flatMap(([category, held = []], index): LibraryLine[] => {
    const expanded = isOpen(category)
    const folder: LibraryLine = {
      kind: 'folder',
      id: `folder ${category}`,
      category,
      label: category || UNASSIGNED,
      count: held.length,
      level: 1,
      position: index + 1,
      siblings: folders.length,
      expanded,
    }
    return expanded ? [folder, ...listScripts(held)] : [folder]
  })
}

function listScripts(scripts: readonly Script[]): LibraryLine[] {
  return scripts
    .toSorted((a, b) => compare(a.name, b.name))
    .map((script, index) => ({
      kind: 'script',
      id: `${script.id}`,
      script,
      label: script.name,
      level: 2,
      position: index + 1,
      siblings: scripts.length,
    }))
}

function compare(a: string, b: string): number {
  const [keyA, keyB] = [toSortKey(a), toSortKey(b)]
  return keyA < keyB ? -1 : keyA > keyB ? 1 : 0
}
