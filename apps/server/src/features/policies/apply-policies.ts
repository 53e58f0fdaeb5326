import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { ChainedMachine, ContentKind } from './kinds/kind.ts'
import { KINDS } from './kinds/table.ts'
import { findAllIds, findMachines, type PolicyMachine, yieldToEventLoop } from './machines.ts'
import { loadPolicySet, type PolicySet } from './policy-set.ts'
import { lockPolicies, chunk } from './queries.ts'

/** Reading or writing a machine takes less than a millisecond. Others wait for one slice at most. */
const SLICE = 40

/**
 * Brings machines in line with their policies, whatever happened since the last time. Everything follows from the rows,
 * so two processes may do it at the same time: one waits for the other and finds nothing to do. Differences are found
 * without locks and written in slices. Returns the number of changed machines.
 */
export async function applyPolicies(ctx: Context, agentIds?: readonly string[]): Promise<number> {
  const set = await loadPolicySet(ctx.db)
  const ids = agentIds ?? (await findAllIds(ctx.db))
  const touched = new Set<ContentKind>()
  let count = 0
  for (const slice of chunk(ids, SLICE)) {
    const adrift = await findAdrift(ctx.db, set, slice)
    await yieldToEventLoop()
    if (adrift.length === 0) continue
    count += await bringInLine(ctx, { set, adrift }, touched)
    await yieldToEventLoop()
  }
  for (const kind of touched) await kind.afterwards?.(ctx)
  return count
}

/**
 * `touched`: the kinds with changes. Facts for searches are read again only if the policies changed: a machine with new
 * facts is handled again for that reason anyway.
 */
async function bringInLine(
  ctx: Context,
  { set: before, adrift: found }: { set: PolicySet; adrift: PolicyMachine[] },
  touched: Set<ContentKind>,
): Promise<number> {
  return ctx.transaction(async (tx, emit) => {
    await lockPolicies(tx)
    // Read again: it may have changed before the lock.
    const set = await loadPolicySet(tx, before)
    const agentIds = found.map(({ agent_id }) => agent_id)
    const machines = await chainThese(tx, set, agentIds, set === before ? found : undefined)
    const changed = new Set<string>()
    for (const kind of KINDS) {
      const adrift = await kind.findDrift(tx, await kind.resolve(tx, set, machines))
      if (adrift.length === 0) continue
      await kind.apply({ ctx, tx, emit }, adrift)
      touched.add(kind)
      for (const { machine } of adrift) changed.add(machine.agent_id)
    }
    return changed.size
  })
}

async function findAdrift(db: Db, set: PolicySet, agentIds: string[]): Promise<PolicyMachine[]> {
  const machines = await chainThese(db, set, agentIds)
  const adrift = new Set<PolicyMachine>()
  for (const kind of KINDS) {
    const found = await kind.findDrift(db, await kind.resolve(db, set, machines))
    for (const { machine } of found) adrift.add(machine)
  }
  return [...adrift]
}

/** `known`: the same machines a moment ago, with the facts for searches. */
async function chainThese(
  db: Db,
  set: PolicySet,
  agentIds: string[],
  known?: PolicyMachine[],
): Promise<ChainedMachine[]> {
  const machines = await findMachines(db, { agentIds, withText: set.hasSearches && known === undefined })
  const targetOf = new Map(known?.map(({ agent_id, target }) => [agent_id, target]))
  return machines.map((read) => {
    const machine = { ...read, target: targetOf.get(read.agent_id) ?? read.target }
    return { machine, chain: set.chainOf(machine) }
  })
}
