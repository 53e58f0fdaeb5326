import { createHash } from 'node:crypto'
import type { PolicyPlan } from '@muster/contract/policies/assigned-policies'
import type { Db } from '../../platform/database/database.ts'
import type { Scope } from '../../platform/http/caller.ts'
import type { ChainedMachine, Resolved } from './kinds/kind.ts'
import { KINDS } from './kinds/table.ts'
import { findMachines, findVisible, inBatches, type PolicyMachine, yieldToEventLoop } from './machines.ts'
import { type Instead, type PolicySet, withInstead } from './policy-set.ts'

type Change = PolicyPlan['lines'][number]['change']
type Kind = PolicyPlan['lines'][number]['kind']
type Line = { kind: Kind; change: Change; what: string }
type Changed = { machine: PolicyMachine; changes: Line[] }

const MAX_PLANNED_MACHINES = 200
/** About 20 ms. */
const COMPARED_AT_ONCE = 200

/** Returns the effect of a save on each machine. The token stays the same as long as the effect does. */
export function planChange(
  db: Db,
  caller: { scope: Scope },
  { set, instead }: { set: PolicySet; instead: Instead },
): Promise<PolicyPlan> {
  const modified = set.policies.get(instead.id)?.row?.modified ?? null
  return planSet(db, caller, {
    set,
    later: withInstead(set, instead),
    policies: new Set([instead.id]),
    what: [modified, instead.document ?? null],
  })
}

interface Planned {
  set: PolicySet
  later: PolicySet
  /** The changed policies. */
  policies: ReadonlySet<number>
  /** The old and new state, for the token. */
  what: unknown
}

/** Returns the effect of any other change of policies. */
export async function planSet(db: Db, caller: { scope: Scope }, planned: Planned): Promise<PolicyPlan> {
  const changed = await findChanges(db, planned)
  const counts = new Map<string, PolicyPlan['lines'][number]>()
  for (const { changes } of changed) {
    for (const one of changes) {
      const key = `${one.kind} ${one.change} ${one.what}`
      const line = counts.get(key) ?? { ...one, agents_count: 0 }
      counts.set(key, { ...line, agents_count: line.agents_count + 1 })
    }
  }
  const seen = await findVisible(
    db,
    caller,
    changed.map(({ machine }) => machine.agent_id),
  )
  return {
    token: tokenOf(planned.what, changed),
    agents_count: changed.length,
    lines: [...counts.values()].toSorted((a, b) => b.agents_count - a.agents_count),
    agents: changed
      .filter(({ machine }) => seen.has(machine.agent_id))
      .slice(0, MAX_PLANNED_MACHINES)
      .map(({ machine: { agent_id, hostname, client_name, site_name }, changes }) => ({
        agent_id,
        hostname,
        client_name,
        site_name,
        changes,
      })),
  }
}

/** Machines with changed items. Only machines with one of these policies in their chain are considered. */
async function findChanges(db: Db, { set, later, policies }: Planned): Promise<Changed[]> {
  const machines = await findMachines(db, { withText: set.hasSearches || later.hasSearches })
  const before: ChainedMachine[] = []
  const after: ChainedMachine[] = []
  for await (const slice of inBatches(machines)) {
    for (const machine of slice) {
      const chains = [set.chainOf(machine), later.chainOf(machine)] as const
      if (!chains.some((chain) => chain.some(({ policy }) => policies.has(policy)))) continue
      before.push({ machine, chain: chains[0] })
      after.push({ machine, chain: chains[1] })
    }
  }
  const changed: Changed[] = []
  for (let from = 0; from < before.length; from += COMPARED_AT_ONCE) {
    const to = from + COMPARED_AT_ONCE
    changed.push(
      ...(await compareThese(
        db,
        { set, chained: before.slice(from, to) },
        { set: later, chained: after.slice(from, to) },
      )),
    )
    await yieldToEventLoop()
  }
  return changed
}

interface Side {
  set: PolicySet
  chained: ChainedMachine[]
}

async function compareThese(db: Db, before: Side, after: Side): Promise<Changed[]> {
  const changes = before.chained.map((): Line[] => [])
  for (const kind of KINDS) {
    const was = await kind.resolve(db, before.set, before.chained)
    const will = await kind.resolve(db, after.set, after.chained)
    for (const [index, one] of was.entries()) {
      const next = will[index]
      if (next === undefined) continue
      changes[index]?.push(...compare(one, next).map((line) => ({ kind: kind.name, ...line })))
    }
  }
  return before.chained.flatMap(({ machine }, index) => {
    const lines = changes[index] ?? []
    return lines.length === 0 ? [] : [{ machine, changes: lines }]
  })
}

function compare(was: Resolved<unknown>, will: Resolved<unknown>): Omit<Line, 'kind'>[] {
  const before = new Map(was.effective.map((item) => [item.key, item]))
  const lines: Omit<Line, 'kind'>[] = []
  for (const { key, value, source } of will.effective) {
    const old = before.get(key)
    before.delete(key)
    const wasOwn = old?.source.own
    if (source.own) {
      // An item that an own item overrides changes nothing.
      if (wasOwn === false) lines.push({ change: 'released', what: value.what })
    } else if (wasOwn === undefined) lines.push({ change: 'added', what: value.what })
    else if (wasOwn) lines.push({ change: 'overridden', what: value.what })
    else if (old?.value.digest !== value.digest) lines.push({ change: 'changed', what: value.what })
  }
  for (const { value, source } of before.values()) {
    if (!source.own) lines.push({ change: 'removed', what: value.what })
  }
  return lines
}

function tokenOf(what: unknown, changed: Changed[]): string {
  const machines = changed.map(({ machine, changes }) => [machine.agent_id, changes])
  return createHash('sha256')
    .update(JSON.stringify([what, machines]))
    .digest('hex')
}
