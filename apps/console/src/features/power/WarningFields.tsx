import '@mantine/core/styles/NumberInput.css'
import { Checkbox, NumberInput, Text, Textarea } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { WarningForm } from './warning-form.ts'

interface WarningFieldsProps {
  /** Its user is named. */
  agent?: AgentDetail
  form: WarningForm
  error: string | undefined
  disabled?: boolean
  onChange: (change: Partial<WarningForm>) => void
}

/** How the user at a machine is warned. */
export function WarningFields({ agent, form, error, disabled = false, onChange }: WarningFieldsProps) {
  return (
    <>
      {agent !== undefined && <Text className="dim">{describeUser(agent)}</Text>}
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
