import { Checkbox, Group, Select } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { SEVERITIES, SEVERITY_LABELS } from '../alert-labels.ts'
import { chainsQuery } from '../escalations/chain-form.ts'
import type { TemplateForm } from './template-form.ts'

/** The escalation chain of a template, and the alerts that it runs for. */
export function EscalationFields({ form }: { form: UseFormReturnType<TemplateForm> }) {
  const { data: chains = [] } = useQuery(chainsQuery)
  const { escalation_chain: id } = form.values
  return (
    <>
      <Select
        label="Escalation chain"
        placeholder="None"
        data={chains.map((chain) => ({ value: `${chain.id}`, label: chain.name }))}
        searchable
        clearable
        nothingFoundMessage="No escalation chains"
        {...form.getInputProps('escalation_chain')}
        value={id === null ? null : `${id}`}
        onChange={(value) => form.setFieldValue('escalation_chain', value === null ? null : Number(value))}
      />
      {id !== null && (
        <Checkbox.Group
          label="Severities"
          description="None selected = all"
          {...form.getInputProps('escalation_severities')}
        >
          <Group gap="sm" mt={4}>
            {SEVERITIES.map((severity) => (
              <Checkbox key={severity} value={severity} label={SEVERITY_LABELS[severity]} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
    </>
  )
}
