import { AppError } from '@muster/contract/errors'
import type { AgentSetting } from '@muster/rules/policy-settings'
import type { Db } from '../../platform/database/database.ts'
import { agentSettingsKind, readSources } from './kinds/agent-settings.ts'
import { findMachines } from './machines.ts'
import { loadPolicySet } from './policy-set.ts'

/** Refuses to give a machine settings of its own which an enforced policy says. */
export async function refuseEnforcedSettings(
  db: Db,
  agent: { agent_id: string; hostname: string; setting_sources: string },
  names: readonly AgentSetting[],
): Promise<void> {
  const sources = readSources(agent)
  if (names.every((name) => sources[name]?.given !== true)) return
  const set = await loadPolicySet(db)
  const machines = await findMachines(db, { agentIds: [agent.agent_id], withText: set.hasSearches })
  const chained = machines.map((machine) => ({ machine, chain: set.chainOf(machine) }))
  for (const { effective } of await agentSettingsKind.resolve(db, set, chained)) {
    for (const { value, source } of effective) {
      if (source.own || !names.includes(value.ref.name)) continue
      const document = set.policies.get(source.policy)?.document
      if (document?.enforced !== true) continue
      const sentence = `The enforced policy "${document.name}" sets this for ${agent.hostname}: change it there.`
      throw new AppError('conflict', sentence, { fields: { [value.ref.name]: [sentence] } })
    }
  }
}
