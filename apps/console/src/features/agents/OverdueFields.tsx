import { Checkbox, Fieldset, Stack } from '@mantine/core'
import '@mantine/core/styles/Fieldset.css'
import type { UseFormReturnType } from '@mantine/form'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { AgentForm } from './agent-form.ts'
import { OVERDUE_ALERTS } from './overdue-alerts.ts'

interface OverdueFieldsProps {
  template: AgentDetail['effective_alert_template']
  form: UseFormReturnType<AgentForm>
}

/** Who is told when the machine is overdue. What its alert template decides is shown, and not changed here. */
export function OverdueFields({ template, form }: OverdueFieldsProps) {
  return (
    <Fieldset legend="When it is overdue" variant="unstyled" p={0} m={0}>
      <Stack gap="xs">
        {OVERDUE_ALERTS.map(({ field, fixedBy, label }) => {
          const fixed = template?.[fixedBy] ?? null
          const own = form.getInputProps(field, { type: 'checkbox' })
          if (template === null || fixed === null) return <Checkbox key={field} label={label} {...own} />
          const reason = `Decided by the alert template ${template.name}.`
          return <Checkbox key={field} label={label} description={reason} checked={fixed} disabled readOnly />
        })}
      </Stack>
    </Fieldset>
  )
}
