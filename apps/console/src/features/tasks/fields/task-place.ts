import type { AgentDetail } from '@muster/contract/api/agents'
import { Platform } from '@muster/contract/fields'

/** The target of a task: a machine, or the unknown machines of a policy. */
export type TaskPlace =
  | Pick<AgentDetail, 'agent_id' | 'hostname' | 'plat' | 'timezone'>
  | {
      agent_id: null
      hostname: string
      plat: null
      timezone: string
      /** Checks of the policy whose failure may start a task. */
      checks: readonly { value: string; label: string }[]
    }

export const ALL_PLATFORMS: string[] = [...Platform.options]

export function policyTaskPlace(checks: readonly { value: string; label: string }[]): TaskPlace {
  return { agent_id: null, hostname: 'each machine', plat: null, timezone: 'UTC', checks }
}
