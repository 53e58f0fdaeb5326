import type { UseFormReturnType } from '@mantine/form'
import type { CheckType } from '@muster/contract/api/checks'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { Check } from '@muster/contract/api/checks'
import type { CheckForm } from '../check-form.ts'

/** The target of a check: a machine, or the unknown machines of a policy. */
export type CheckPlace =
  | (Pick<AgentDetail, 'agent_id' | 'facts' | 'check_interval'> & { plat: AgentDetail['plat'] })
  | { agent_id: null; plat: null; facts: null; check_interval: null }
export const POLICY_PLACE: CheckPlace = { agent_id: null, plat: null, facts: null, check_interval: null }

/** Props of the fields of every type. */
export interface FieldsProps {
  agent: CheckPlace
  /** The edited check; absent for a new one. */
  check: Check | undefined
  type: CheckType
  form: UseFormReturnType<CheckForm>
  /** The focus or pointer has left the pair of thresholds. */
  onLeaveThresholds: () => void
}
