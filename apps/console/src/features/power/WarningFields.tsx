import '@mantine/core/styles/NumberInput.css'
import { Checkbox, NumberInput, Text, Textarea } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { PowerWarning } from '@muster/contract/api/power'

export interface WarningForm {
  message: string
  /** Minutes. */
  delay: number | string
  mayPostpone: boolean
}
export const NEW_WARNING: WarningForm = { message: '', delay: 5, mayPostpone: true }

export function checkDelay(delay: WarningForm['delay']): string | undefined {
  const minutes = Number(delay)
  const isGood = delay !== '' && Number.isInteger(minutes) && minutes >= 1 && minutes <= 1440
  return isGood ? undefined : 'Enter 1 to 1440 minutes.'
}

interface WarningFieldsProps {
  agent: AgentDetail
  form: WarningForm
  error: string | undefined
  disabled?: boolean
  onChange: (change: Partial<WarningForm>) => void
}

/** How the user at a machine is warned. */
export function WarningFields({ agent, form, error, disabled = false, onChange }: WarningFieldsProps) {
  return (
    <>
      <Text className="dim">{describeUser(agent)}</Text>
      <Textarea
        label="Message to the user"
        placeholder="Updates are installed."
        autosize
        minRows={2}
        maxRows={6}
        maxLength={500}
        disabled={disabled}
        value={form.message}
        onChange={(event) => onChange({ message: event.currentTarget.value })}
      />
      <NumberInput
        label="Warning time"
        suffix=" min"
        min={1}
        allowDecimal={false}
        clampBehavior="none"
        disabled={disabled}
        value={form.delay}
        error={disabled ? undefined : error}
        onChange={(delay) => onChange({ delay })}
      />
      <Checkbox
        label="The user may postpone it"
        description="Three times, by 15 minutes each."
        disabled={disabled}
        checked={form.mayPostpone}
        onChange={(event) => onChange({ mayPostpone: event.currentTarget.checked })}
      />
    </>
  )
}

function describeUser({ logged_username, italic }: AgentDetail): string {
  if (logged_username === '' || italic) return 'No user is signed in, as last reported.'
  return `${logged_username} is signed in, as last reported.`
}

export function toWarning({ message, delay, mayPostpone }: WarningForm): PowerWarning {
  return { message: message.trim(), delay_minutes: Number(delay), may_postpone: mayPostpone }
}
