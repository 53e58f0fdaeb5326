import type { AgentName } from '@muster/contract/api/agents'
import type { Client } from '@muster/contract/api/clients'
import { listMaintenanceWindows, type MaintenanceWindow } from '@muster/contract/calls/maintenance'
import type { ComboboxItem, ComboboxParsedItemGroup, OptionsFilter } from '@mantine/core'
import type { z } from 'zod'
import { query } from '../../app/api/api.ts'
import { writeTarget } from './window-state.ts'

export interface TargetGroup {
  group: string
  items: ComboboxItem[]
}

type Named = Pick<z.infer<typeof AgentName>, 'agent_id' | 'hostname' | 'client' | 'site'>

/** All possible targets; `known` are targets that the lists may not contain. */
export function groupTargets(
  clients: readonly Client[],
  machines: readonly Named[],
  known: MaintenanceWindow['targets'],
): TargetGroup[] {
  const groups = [
    {
      group: 'Clients',
      items: clients.map(({ id, name }) => ({ value: `client-${id}`, label: name })),
    },
    {
      group: 'Sites',
      items: clients.flatMap(({ name: client, sites }) =>
        sites.map(({ id, name }) => ({ value: `site-${id}`, label: `${client}, ${name}` })),
      ),
    },
    {
      group: 'Machines',
      items: machines.map(({ agent_id, hostname }) => ({ value: `agent-${agent_id}`, label: hostname })),
    },
  ]
  const listed = new Set(groups.flatMap(({ items }) => items.map(({ value }) => value)))
  const others = known
    .filter((target) => !listed.has(writeTarget(target)))
    .map((target) => ({ value: writeTarget(target), label: target.name }))
  return [...groups, { group: 'Others', items: others }].filter(({ items }) => items.length > 0)
}

const SHOWN = 50

/** Targets whose name has all the words, limited per type: a fleet has ten thousand machines. */
export const filterTargets: OptionsFilter = ({ options, search }) => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return options.flatMap((group) => {
    if (!isGroup(group)) return []
    const items = group.items
      .filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
      .slice(0, SHOWN)
    return items.length === 0 ? [] : [{ ...group, items }]
  })
}

const isGroup = (item: ComboboxItem | ComboboxParsedItemGroup): item is ComboboxParsedItemGroup =>
  'items' in item

/** All windows that the user may see. */
export const windowsQuery = query(listMaintenanceWindows, {})
