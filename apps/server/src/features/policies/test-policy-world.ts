import { editAgent } from '@muster/contract/api/agents'
import {
  blockInheritance,
  deletePolicy,
  type PolicyDocument,
  setAssignedPolicies,
} from '@muster/contract/api/policies'
import { expect } from 'vitest'
import { checkOf, contentOf, PING, prepareFleet } from './test-policies.ts'
import {
  KEYS,
  type Machine,
  type Model,
  type ModelPolicy,
  OWN,
  type Level,
  type Slot,
} from './test-policy-model.ts'

export type Doing =
  | { kind: 'add'; keys: (typeof KEYS)[number][]; search: string; enforced: boolean; active: boolean }
  /** Assigns, removes and orders: the whole list of a target. */
  | { kind: 'list'; level: Level; entries: { nth: number; slot: Slot }[] }
  | { kind: 'exclude'; nth: number; levels: Level[] }
  | { kind: 'enforce' | 'activate'; nth: number; on: boolean }
  | { kind: 'block'; level: Level; on: boolean }
  | { kind: 'move'; machine: Machine; site: 'a1' | 'a2' | 'b1' }
  | { kind: 'delete'; nth: number }

/** Two clients with three sites, two machines, one own check, and a function for each operation. */
export async function prepareWorld(database: Parameters<typeof prepareFleet>[0]) {
  const fleet = await prepareFleet(database)
  const { server, client, site, root, pc, srv } = fleet
  const other = await server.given.client({ name: 'Other' })
  const sites = {
    a1: site.id,
    a2: (await server.given.site({ client_id: client.id, name: 'Basel' })).id,
    b1: (await server.given.site({ client_id: other.id, name: 'Chur' })).id,
  }
  const clients = { A: client.id, B: other.id }
  const machines = { pc, srv }
  await fleet.addOwn({ ...PING, name: `${OWN.key} of own`, ip: `${OWN.key}.example` }, machines[OWN.machine])
  const targetOf = (one: Exclude<Level, 'default'>) => {
    if (one === 'pc' || one === 'srv') return { level: 'agent' as const, id: machines[one].agent_id }
    if (one === 'A' || one === 'B') return { level: 'client' as const, id: clients[one] }
    return { level: 'site' as const, id: sites[one] }
  }
  const paramsOf = (one: Level) => {
    if (one === 'default') return { level: one, id: 'all' }
    const { level, id } = targetOf(one)
    return { level, id: String(id) }
  }
  const block = (one: Level, isOn: boolean) =>
    one === 'default'
      ? undefined
      : root.call(blockInheritance, { body: { target: targetOf(one), block_policy_inheritance: isOn } })
  const move = (machine: Machine, to: keyof typeof sites) =>
    root.call(editAgent, {
      params: { agent_id: machines[machine].agent_id },
      body: { site: sites[to] },
    })
  const remove = (id: number) => root.call(deletePolicy, { params: { id }, query: {} })
  let last: Model | undefined
  let count = 0

  async function reset(): Promise<Model> {
    for (const id of last?.policies.keys() ?? []) await remove(id)
    for (const one of last?.blocks ?? []) await block(one, false)
    for (const machine of ['pc', 'srv'] as const) await move(machine, 'a1')
    await fleet.settle()
    last = { policies: new Map(), lists: new Map(), blocks: new Set(), siteOf: { pc: 'a1', srv: 'a1' } }
    return last
  }

  async function edit(model: Model, id: number, parts: Partial<ModelPolicy>): Promise<void> {
    const { excluded, enforced, active } = parts
    const ids = (level: string) =>
      [...(excluded ?? [])]
        .filter((one) => one !== 'default')
        .map(targetOf)
        .flatMap((target) => (target.level === level ? [target.id] : []))
    const body: Partial<PolicyDocument> = {
      ...(enforced === undefined ? {} : { enforced }),
      ...(active === undefined ? {} : { active }),
      ...(excluded === undefined
        ? {}
        : {
            excluded_clients: ids('client').map(Number),
            excluded_sites: ids('site').map(Number),
            excluded_agents: ids('agent').map(String),
          }),
    }
    await fleet.edit(id, body)
    const before = model.policies.get(id)
    if (before !== undefined) model.policies.set(id, { ...before, ...parts })
  }

  async function act(model: Model, next: Doing): Promise<void> {
    const idOf = (index: number) => [...model.policies.keys()][index]
    const id = 'nth' in next ? idOf(next.nth) : undefined
    switch (next.kind) {
      case 'add': {
        count += 1
        const { keys, search, enforced, active } = next
        const name = `P${count}`
        const content = contentOf(
          keys.map((key) => checkOf({ ...PING, name: `${key} of ${name}`, ip: `${key}.example` })),
        )
        const targets = search === '' ? [] : [{ level: 'search' as const, search }]
        const policy = await fleet.add({ name, content, targets, enforced, active })
        model.policies.set(policy.id, { name, keys, search, enforced, active, excluded: new Set() })
        return
      }
      case 'list': {
        const list = next.entries.flatMap(({ nth: index, slot: monitoring_type }) => {
          const policy = idOf(index)
          return policy === undefined
            ? []
            : [{ id: policy, monitoring_type: ofType(next.level, monitoring_type) }]
        })
        const { body } = await root.call(setAssignedPolicies, {
          params: paramsOf(next.level),
          body: { policies: list },
        })
        expect(body.policies).toHaveLength(list.length)
        model.lists.set(next.level, list)
        break
      }
      case 'exclude':
        if (id !== undefined) await edit(model, id, { excluded: new Set(next.levels) })
        return
      case 'enforce':
        if (id !== undefined) await edit(model, id, { enforced: next.on })
        return
      case 'activate':
        if (id !== undefined) await edit(model, id, { active: next.on })
        return
      case 'block':
        await block(next.level, next.on)
        if (next.on) model.blocks.add(next.level)
        else model.blocks.delete(next.level)
        break
      case 'move':
        await move(next.machine, next.site)
        model.siteOf[next.machine] = next.site
        break
      case 'delete':
        if (id === undefined) return
        await remove(id)
        model.policies.delete(id)
    }
    await fleet.settle()
  }

  return {
    reset,
    act,
    /** The effective ones, by name. */
    checks: async (machine: Machine) =>
      (await fleet.checks(machines[machine]))
        .filter(({ overridden_by_policy }) => !overridden_by_policy)
        .map(({ settings }) => ('name' in settings ? settings.name : ''))
        .toSorted(),
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}

/** A machine has one type, so it has no slots. */
function ofType(one: Level, listedSlot: Slot): Slot {
  return one === 'pc' || one === 'srv' ? null : listedSlot
}
