import type { Script } from '@muster/contract/api/scripts'
import type { TableSort } from '../../ui/data-column.ts'

/** The scripts that hold every word of the search, favourites first within equals. */
export function showScripts(scripts: readonly Script[], search: string, sort: TableSort): Script[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const direction = sort.descending ? -1 : 1
  return scripts
    .filter((script) => {
      const hay = [script.name, script.category, script.description, script.shell].join('\n').toLowerCase()
      return words.every((word) => hay.includes(word))
    })
    .toSorted((a, b) => direction * compare(a, b, sort.column) || a.name.localeCompare(b.name))
}

function compare(a: Script, b: Script, column: string): number {
  switch (column) {
    case 'favorite':
      return Number(b.favorite) - Number(a.favorite)
    case 'default_timeout':
      return a.default_timeout - b.default_timeout
    case 'shell':
      return a.shell.localeCompare(b.shell)
    case 'category':
      return a.category.localeCompare(b.category)
    default:
      return a.name.localeCompare(b.name)
  }
}
