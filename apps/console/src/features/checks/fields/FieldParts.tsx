import '@mantine/core/styles/NumberInput.css'
import { NumberInput, Select, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { Check, CheckType } from '@muster/contract/api/checks'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { CheckForm } from '../check-form.ts'
import { FIELD_LABELS } from '../field-labels.ts'

type Form = UseFormReturnType<CheckForm>
type FieldName = keyof typeof FIELD_LABELS

interface PartProps {
  form: Form
  name: FieldName
  description?: string
  autoFocus?: boolean
}

/** A monospaced text: a path, a name, an address. */
export function MachineText({
  form,
  name,
  description,
  autoFocus = false,
  ...more
}: PartProps & { placeholder?: string }) {
  return (
    <TextInput
      label={FIELD_LABELS[name]}
      description={description}
      classNames={{ input: 'mono' }}
      autoComplete="off"
      spellCheck={false}
      {...more}
      {...focusAttribute(autoFocus)}
      {...form.getInputProps(name)}
    />
  )
}

export function WholeNumber({
  form,
  name,
  description,
  autoFocus = false,
  boundTo,
  ...more
}: PartProps & {
  suffix?: string
  /** The meaning of an empty field. */
  placeholder?: string
  /** The field that shows the error of both together. */
  boundTo?: FieldName
}) {
  return (
    <NumberInput
      label={FIELD_LABELS[name]}
      description={description}
      allowDecimal={false}
      clampBehavior="none"
      {...more}
      {...focusAttribute(autoFocus)}
      {...form.getInputProps(name)}
      onBlur={() => {
        for (const left of [name, boundTo]) if (left !== undefined) form.validateField(left)
      }}
    />
  )
}

interface ChoiceProps extends PartProps {
  choices: readonly { value: string; label: string }[]
}

export function Choice({ form, name, description, choices, autoFocus = false }: ChoiceProps) {
  return (
    <Select
      label={FIELD_LABELS[name]}
      description={description}
      data={[...choices]}
      allowDeselect={false}
      {...focusAttribute(autoFocus)}
      {...form.getInputProps(name)}
    />
  )
}

const SEVERITIES = [
  { value: 'info', label: 'Info' },
  { value: 'warning', label: 'Warning' },
  { value: 'error', label: 'Error' },
]

/** Severity of a failing check without thresholds. */
export function SeverityChoice({ form }: { form: Form }) {
  return <Choice form={form} name="alert_severity" choices={SEVERITIES} />
}

const focusAttribute = (autoFocus: boolean) => (autoFocus ? { 'data-autofocus': true } : {})

/** The target of a check: a machine, or the unknown machines of a policy. */
export type CheckTarget =
  | (Pick<AgentDetail, 'agent_id' | 'facts' | 'check_interval'> & { plat: AgentDetail['plat'] })
  | { agent_id: null; plat: null; facts: null; check_interval: null }
export const POLICY_TARGET: CheckTarget = { agent_id: null, plat: null, facts: null, check_interval: null }

/** Props of the fields of every type. */
export interface FieldsProps {
  agent: CheckTarget
  /** The edited check; absent for a new one. */
  check: Check | undefined
  type: CheckType
  form: UseFormReturnType<CheckForm>
  /** The focus or pointer has left the pair of thresholds. */
  onLeaveThresholds: () => void
}
