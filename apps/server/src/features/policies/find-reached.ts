import type { Db } from '../../platform/database/database.ts'
import { findMachines, inTurns } from './machines.ts'
import { onlyPolicies, type PolicySet } from './policy-set.ts'

interface Changed {
  policies: ReadonlySet<number>
  scripts: ReadonlySet<number>
}

/** Machines in whose chain a changed policy was or is; one with a changed script counts as changed. */
export async function findReached(
  db: Db,
  sets: readonly PolicySet[],
  { policies, scripts }: Changed,
): Promise<string[]> {
  const wanted = new Set([...policies, ...sets.flatMap((set) => findUsing(set, scripts))])
  if (wanted.size === 0) return []
  const reached: string[] = []
  const parts = sets.map((set) => onlyPolicies(set, wanted))
  const withText = parts.some(({ hasSearches }) => hasSearches)
  for await (const machines of inTurns(await findMachines(db, { withText }))) {
    for (const machine of machines) {
      if (parts.some((set) => set.chainOf(machine).length > 0)) reached.push(machine.agent_id)
    }
  }
  return reached
}

function findUsing(set: PolicySet, scripts: ReadonlySet<number>): number[] {
  if (scripts.size === 0) return []
  return Array.from(set.policies.values())
    .filter(({ document }) =>
      document.content.checks.some(
        ({ settings }) => settings.check_type === 'script' && scripts.has(settings.script),
      ),
    )
    .map(({ id }) => id)
}
