import type { UseFormReturnType } from '@mantine/form'
import type { CheckType } from '@muster/contract/api/checks'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { Check } from '@muster/contract/api/checks'
import type { CheckForm } from '../check-form.ts'

/** Where a check is to run: on a machine, or on those that a policy reaches, of which nothing is known. */
export type CheckPlace =
  | (Pick<AgentDetail, 'agent_id' | 'facts' | 'check_interval'> & { plat: AgentDetail['plat'] })
  | { agent_id: null; plat: null; facts: null; check_interval: null }
export const POLICY_PLACE: CheckPlace = { agent_id: null, plat: null, facts: null, check_interval: null }

/** What the fields of every type get. */
export interface FieldsProps {
  agent: CheckPlace
  /** The one that is edited; absent for a new one. */
  check: Check | undefined
  type: CheckType
  form: UseFormReturnType<CheckForm>
  /** The keyboard or pointer has left the pair of thresholds. */
  onLeaveThresholds: () => void
}
