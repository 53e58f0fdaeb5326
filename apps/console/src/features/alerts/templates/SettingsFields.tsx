import { Checkbox, Group, NumberInput, Select, SimpleGrid } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import '@mantine/core/styles/SimpleGrid.css'
import type { UseFormReturnType } from '@mantine/form'
import { SEVERITIES, SEVERITY_LABELS } from '../alert-words.ts'
import type { SettingsKind, TemplateForm } from './template-form.ts'

interface SettingsFieldsProps {
  form: UseFormReturnType<TemplateForm>
  kind: SettingsKind
}

const MEDIA = [
  { name: 'email', always: 'email', label: 'E-mail' },
  { name: 'text', always: 'text', label: 'SMS' },
  { name: 'dashboard', always: 'alert', label: 'Bell' },
] as const

/** Who is told of alerts of one kind, how often, and whether actions are run. */
export function SettingsFields({ form, kind }: SettingsFieldsProps) {
  const minutes = form.getInputProps(`${kind}_periodic_alert_minutes`)
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
        {MEDIA.map(({ always, label }) => (
          <Choice key={always} label={label} {...form.getInputProps(`${kind}_always_${always}`)} />
        ))}
      </SimpleGrid>
      {kind !== 'agent' && (
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
          {MEDIA.map(({ name, label }) => (
            <Checkbox.Group
              key={name}
              label={`${label}: severities`}
              description="None checked = all."
              {...form.getInputProps(`${kind}_${name}_alert_severity`)}
            >
              <Group gap="sm" mt={4}>
                {SEVERITIES.map((severity) => (
                  <Checkbox key={severity} value={severity} label={SEVERITY_LABELS[severity]} />
                ))}
              </Group>
            </Checkbox.Group>
          ))}
        </SimpleGrid>
      )}
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
        <Choice label="E-mail when it is over" {...form.getInputProps(`${kind}_email_on_resolved`)} />
        <Choice label="SMS when it is over" {...form.getInputProps(`${kind}_text_on_resolved`)} />
        <NumberInput
          label="Tell again after"
          description="Empty = as the channel; 0 = once."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          suffix=" min"
          min={0}
          allowDecimal={false}
          clampBehavior="none"
          {...minutes}
          value={form.values[`${kind}_periodic_alert_minutes`] ?? ''}
          onChange={(value) =>
            form.setFieldValue(
              `${kind}_periodic_alert_minutes`,
              value === '' ? null : typeof value === 'number' ? value : Number.NaN,
            )
          }
        />
      </SimpleGrid>
      <Checkbox
        label="Run the actions below"
        {...form.getInputProps(`${kind}_script_actions`, { type: 'checkbox' })}
      />
    </>
  )
}

const CHOICES = [
  { value: 'null', label: 'As configured' },
  { value: 'true', label: 'Always' },
  { value: 'false', label: 'Never' },
]
const VALUES = new Map([
  ['null', null],
  ['true', true],
  ['false', false],
])

interface ChoiceProps {
  label: string
  value?: boolean | null
  onChange?: (value: boolean | null) => void
}

/** Always, never, or as it is configured elsewhere. */
function Choice({ label, value = null, onChange }: ChoiceProps) {
  return (
    <Select
      label={label}
      data={CHOICES}
      allowDeselect={false}
      value={String(value)}
      onChange={(chosen) => onChange?.(VALUES.get(chosen ?? 'null') ?? null)}
    />
  )
}
