import type { Client } from '@muster/contract/api/clients'
import type { ComboboxItem, ComboboxParsedItemGroup, OptionsFilter } from '@mantine/core'

export interface SiteGroup {
  group: string
  items: { value: string; label: string }[]
}

/** Sites by client, without those being deleted. */
export function groupSites(clients: readonly Client[], leaving: ReadonlySet<number>): SiteGroup[] {
  return clients
    .map(({ name, sites }) => ({
      group: name,
      items: sites
        .filter(({ id }) => !leaving.has(id))
        .map(({ id, name: label }) => ({ value: `${id}`, label })),
    }))
    .filter(({ items }) => items.length > 0)
}

const SHOWN = 200

/** Finds sites by their name or their client's: all words must occur in the two together. */
export const filterSites: OptionsFilter = ({ options, search }) => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  let room = SHOWN
  return options.flatMap((group) => {
    if (!isGroup(group)) return []
    const items = group.items.filter(({ label }) => {
      const text = `${typeof group.group === 'string' ? group.group : ''} ${label}`.toLowerCase()
      return words.every((word) => text.includes(word)) && room-- > 0
    })
    return items.length === 0 ? [] : [{ ...group, items }]
  })
}

const isGroup = (item: ComboboxItem | ComboboxParsedItemGroup): item is ComboboxParsedItemGroup =>
  'items' in item
