/** A plain model of policies, to compare with the server. */

export const LEVELS = ['pc', 'srv', 'a1', 'a2', 'b1', 'A', 'B', 'default'] as const
export type Level = (typeof LEVELS)[number]
export type Machine = 'pc' | 'srv'
export type Slot = 'server' | 'workstation' | null
export const KEYS = ['X', 'Y', 'Z'] as const

export interface ModelPolicy {
  name: string
  enforced: boolean
  active: boolean
  keys: readonly (typeof KEYS)[number][]
  /** Machines with this text in their name are also targets. Empty = none. */
  search: string
  excluded: ReadonlySet<Level>
}

export interface Model {
  policies: Map<number, ModelPolicy>
  lists: Map<Level, { id: number; monitoring_type: Slot }[]>
  blocks: Set<Level>
  siteOf: Record<Machine, 'a1' | 'a2' | 'b1'>
}

export const TYPES = { pc: 'workstation', srv: 'server' } as const
const CLIENT_OF = { a1: 'A', a2: 'A', b1: 'B' } as const
/** Machine and key of the only own check. */
export const OWN = { machine: 'pc', key: 'X' } as const

/** The effective checks of a machine, as "key of policy". */
export function checksOf(model: Model, machine: Machine): string[] {
  const chain = chainOf(model, machine)
  const winners = new Map<string, string>()
  const offer = (key: string, name: string) => {
    if (!winners.has(key)) winners.set(key, `${key} of ${name}`)
  }
  for (const { keys, name } of chain.filter(({ enforced }) => enforced))
    for (const key of keys) offer(key, name)
  if (machine === OWN.machine) offer(OWN.key, 'own')
  for (const { keys, name } of chain) for (const key of keys) offer(key, name)
  return [...winners.values()].toSorted()
}

/** From the nearest target on: the machine, searches, its site, its client, all machines. */
function chainOf(model: Model, machine: Machine): ModelPolicy[] {
  const site = model.siteOf[machine]
  const client = CLIENT_OF[site]
  const blocks = (level: Level) => model.blocks.has(level)
  const listed = (level: Level) =>
    (model.lists.get(level) ?? [])
      .filter(({ monitoring_type: slot }) => slot === null || slot === TYPES[machine])
      .flatMap(({ id }) => model.policies.get(id) ?? [])
  const found = [...model.policies.values()].filter(({ search }) => search !== '' && machine.includes(search))
  return [
    ...listed(machine),
    ...(blocks(machine)
      ? []
      : [
          ...found,
          ...listed(site),
          ...(blocks(site) ? [] : [...listed(client), ...(blocks(client) ? [] : listed('default'))]),
        ]),
  ].filter(
    ({ active, excluded }) =>
      active && !excluded.has(machine) && !excluded.has(site) && !excluded.has(client),
  )
}
