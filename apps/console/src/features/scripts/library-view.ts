import type { Script } from '@muster/contract/api/scripts'
import { toSortKey } from '@muster/rules/search/tree-order'
import type { TableSort } from '../../ui/table/data-column.ts'
import { platformsLabel, SHELL_LABELS } from './script-labels.ts'

/** Filter and order of the library. */
export interface LibraryView {
  search: string
  hidden: boolean
  sort: TableSort
}

const SORTS = ['favorite', 'name', 'shell', 'category', 'default_timeout'] as const
const START_SORT: TableSort = { column: 'favorite', descending: false }

/** The view in the address: `sort:-name hidden:yes clean up`; undefined for the default view. */
export function writeLibraryView({ search, hidden, sort }: LibraryView): string | undefined {
  const isUsual = sort.column === START_SORT.column && !sort.descending
  const words = [
    ...(isUsual ? [] : [`sort:${sort.descending ? '-' : ''}${sort.column}`]),
    ...(hidden ? ['hidden:yes'] : []),
    ...(search === '' ? [] : [search]),
  ]
  return words.length === 0 ? undefined : words.join(' ')
}

export function readLibraryView(text: string | undefined): LibraryView {
  const [, sortText, hidden, search = ''] =
    /^(?:sort:(-?[a-z_]+)(?: |$))?(hidden:yes(?: |$))?([^]*)$/.exec(text ?? '') ?? []
  const column = SORTS.find((known) => known === sortText?.replace('-', ''))
  return {
    search,
    hidden: hidden !== undefined,
    sort: column === undefined ? START_SORT : { column, descending: sortText?.startsWith('-') === true },
  }
}

/** The scripts that contain every word of the search; equal ones sort by name. */
export function showScripts(
  scripts: readonly Script[],
  { search, hidden, sort }: LibraryView,
  community: boolean,
): Script[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const direction = sort.descending ? -1 : 1
  return scripts
    .filter((script) => (hidden || !script.hidden) && (community || script.script_type !== 'builtin'))
    .filter((script) => {
      const text = textOf(script)
      return words.every((word) => text.includes(word))
    })
    .toSorted((a, b) => direction * compare(a, b, sort.column) || compareText(a.name, b.name))
}

function textOf({ name, category, description, shell, supported_platforms }: Script): string {
  const words = [name, category, description, SHELL_LABELS[shell], shell, platformsLabel(supported_platforms)]
  return words.join('\n').toLowerCase()
}

function compare(a: Script, b: Script, column: string): number {
  switch (column) {
    case 'favorite':
      return Number(b.favorite) - Number(a.favorite)
    case 'default_timeout':
      return a.default_timeout - b.default_timeout
    case 'shell':
      return compareText(SHELL_LABELS[a.shell], SHELL_LABELS[b.shell])
    case 'category':
      // Uncategorized scripts come last.
      return Number(a.category === '') - Number(b.category === '') || compareText(a.category, b.category)
    default:
      return compareText(a.name, b.name)
  }
}

function compareText(a: string, b: string): number {
  const [keyA, keyB] = [toSortKey(a), toSortKey(b)]
  return keyA < keyB ? -1 : keyA > keyB ? 1 : 0
}
