import { Checkbox, Fieldset, Select, Stack } from '@mantine/core'
import '@mantine/core/styles/Fieldset.css'
import type { UseFormReturnType } from '@mantine/form'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { AgentForm } from './agent-form.ts'
import { OVERDUE_ALERTS } from './overdue-alerts.ts'

interface OverdueFieldsProps {
  agent: AgentDetail
  form: UseFormReturnType<AgentForm>
}

/** Who is told when the machine is overdue. What its alert template decides is shown, and not changed here. */
export function OverdueFields({ agent, form }: OverdueFieldsProps) {
  const { effective_alert_template: template } = agent
  return (
    <Fieldset legend="When it is overdue" variant="unstyled" p={0} m={0}>
      <Stack gap="sm">
        {OVERDUE_ALERTS.map(({ field, fixedBy, label }) => {
          const fixed = template?.[fixedBy] ?? null
          if (template !== null && fixed !== null) {
            const reason = `Decided by the alert template ${template.name}.`
            return (
              <Checkbox key={field} label={label} description={reason} checked={fixed} disabled readOnly />
            )
          }
          if (field === 'overdue_dashboard_alert') {
            return (
              <Select
                key={field}
                label={label}
                data={choicesOf(agent)}
                allowDeselect={false}
                {...form.getInputProps('availability_alerts')}
              />
            )
          }
          return <Checkbox key={field} label={label} {...form.getInputProps(field, { type: 'checkbox' })} />
        })}
      </Stack>
    </Fieldset>
  )
}

/** What the default means is known while the machine follows it. */
function choicesOf({ availability_alerts: own, overdue_dashboard_alert: isOn }: AgentDetail) {
  return [
    { value: 'default', label: own === 'default' ? `Default (${isOn ? 'on' : 'off'})` : 'Default' },
    { value: 'on', label: 'On' },
    { value: 'off', label: 'Off' },
  ]
}
