import { AppError } from '@muster/contract/errors'
import type { AgentSetting } from '@muster/rules/policies/policy-merge'
import type { Db } from '../../platform/database/database.ts'
import { readSources } from '../agents/availability.ts'
import { agentSettingsKind } from './kinds/agent-settings.ts'
import { findMachines } from './machines.ts'
import { loadPolicySet } from './policy-set.ts'

interface Machine {
  agent_id: string
  hostname: string
  setting_sources: string
}

/** Refuses own settings of a machine that an enforced policy overrides. */
export async function refuseEnforcedSettings(
  db: Db,
  agent: Machine,
  names: readonly AgentSetting[],
): Promise<void> {
  const [enforced] = (await findEnforced(db, [agent], names)).values()
  if (enforced === undefined) return
  const sentence = `The enforced policy "${enforced.policy}" sets this for ${agent.hostname}. Change it there.`
  throw new AppError('conflict', sentence, { fields: { [enforced.name]: [sentence] } })
}

/** By agent_id, the first of these settings that an enforced policy sets, and the name of that policy. */
export async function findEnforced(
  db: Db,
  agents: readonly Machine[],
  names: readonly AgentSetting[],
): Promise<Map<string, { name: AgentSetting; policy: string }>> {
  const found = new Map<string, { name: AgentSetting; policy: string }>()
  const given = agents.filter((agent) => {
    const sources = readSources(agent)
    return names.some((name) => sources[name]?.given === true)
  })
  if (given.length === 0) return found
  const set = await loadPolicySet(db)
  const agentIds = given.map(({ agent_id }) => agent_id)
  const machines = await findMachines(db, { agentIds, withText: set.hasSearches })
  const chained = machines.map((machine) => ({ machine, chain: set.chainOf(machine) }))
  for (const { machine, effective } of await agentSettingsKind.resolve(db, set, chained)) {
    for (const { value, source } of effective) {
      if (source.own || !names.includes(value.ref.name) || found.has(machine.agent_id)) continue
      const document = set.policies.get(source.policy)?.document
      if (document?.enforced === true) {
        found.set(machine.agent_id, { name: value.ref.name, policy: document.name })
      }
    }
  }
  return found
}
