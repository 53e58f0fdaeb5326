import type { AgentDetail } from '@muster/contract/api/agents'
import { Platform } from '@muster/contract/fields'

/** Where a task is to run: on a machine, or on those that a policy reaches, of which nothing is known. */
export type TaskPlace =
  | Pick<AgentDetail, 'agent_id' | 'hostname' | 'plat' | 'timezone'>
  | {
      agent_id: null
      hostname: string
      plat: null
      timezone: string
      /** Of the policy, by whose failure a task may be started. */
      checks: readonly { value: string; label: string }[]
    }

export const ALL_PLATFORMS: string[] = [...Platform.options]

export function policyTaskPlace(checks: readonly { value: string; label: string }[]): TaskPlace {
  return { agent_id: null, hostname: 'each machine', plat: null, timezone: 'UTC', checks }
}
