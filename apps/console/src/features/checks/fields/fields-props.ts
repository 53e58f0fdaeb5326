import type { UseFormReturnType } from '@mantine/form'
import type { CheckType } from '@muster/contract/api/checks'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { Check } from '@muster/contract/api/checks'
import type { CheckForm } from '../check-form.ts'

/** What the fields of every type get. */
export interface FieldsProps {
  agent: AgentDetail
  /** The one that is edited; absent for a new one. */
  check: Check | undefined
  type: CheckType
  form: UseFormReturnType<CheckForm>
  /** The keyboard or pointer has left the pair of thresholds. */
  onLeaveThresholds: () => void
}
