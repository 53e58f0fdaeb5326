import type { PackageChange } from '@muster/rules/agents/package-change'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'

/** Why machines cannot change a package, as far as their last software list shows. By agent id. */
export async function findUnfitMachines(
  db: Db,
  { change, names }: { change: PackageChange; names: readonly string[] },
  agentIds: readonly string[],
): Promise<Map<string, string>> {
  const unfit = new Map<string, string>()
  for (const ids of chunk(agentIds)) {
    const inventories = await db
      .selectFrom('software_inventories')
      .innerJoin('agents', 'agents.id', 'software_inventories.agent')
      .select(['agents.agent_id', 'managers', 'left_out'])
      .where('agents.agent_id', 'in', ids)
      .execute()
    const owners = change === 'install' ? undefined : await findOwners(db, names, ids)
    for (const { agent_id, managers, left_out } of inventories) {
      if (managers === '[]')
        unfit.set(agent_id, 'The machine has no package manager that the agent supports.')
      else if (owners?.has(agent_id) === false && left_out === 0)
        unfit.set(agent_id, `The machine does not have the package ${names.join(' or ')}.`)
    }
  }
  return unfit
}

async function findOwners(
  db: Db,
  names: readonly string[],
  agentIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('machine_software')
    .innerJoin('software_packages', 'software_packages.id', 'machine_software.package')
    .innerJoin('agents', 'agents.id', 'machine_software.agent')
    .select('agents.agent_id')
    .distinct()
    .where('agents.agent_id', 'in', agentIds)
    .where((eb) => eb.or([eb('name', 'in', names), eb('package_id', 'in', names)]))
    .execute()
  return new Set(rows.map(({ agent_id }) => agent_id))
}
