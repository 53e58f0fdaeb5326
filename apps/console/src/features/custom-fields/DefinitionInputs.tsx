import { Checkbox, Input, MultiSelect, Select, Stack, TextInput } from '@mantine/core'
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import type { UseFormReturnType } from '@mantine/form'
import { ListField } from '../../ui/inputs/ListField.tsx'
import { type FieldForm, cleanOptions, hasChoices } from './field-form.ts'
import { TYPE_LABELS } from './field-words.ts'

interface DefinitionInputsProps {
  form: UseFormReturnType<FieldForm>
  isNew: boolean
}

/** All of a definition; the type is chosen once. */
export function DefinitionInputs({ form, isNew }: DefinitionInputsProps) {
  const { type, options } = form.values
  return (
    <Stack gap="md">
      <TextInput label="Name" maxLength={100} data-autofocus {...form.getInputProps('name')} />
      <Select
        label="Type"
        data={Object.entries(TYPE_LABELS).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        disabled={!isNew}
        {...(isNew ? {} : { description: 'The type of a field stays what it is.' })}
        {...form.getInputProps('type')}
        onChange={(next) => {
          if (next === null) return
          form.setFieldValue('type', next as FieldForm['type'])
          form.setFieldValue('default_value_string', '')
        }}
      />
      {hasChoices(form.values) && (
        <div>
          <ListField
            label="Choices"
            noun="choice"
            values={options}
            onChange={(next) => form.setFieldValue('options', next)}
          />
          {form.errors.options !== undefined && <Input.Error mt={4}>{form.errors.options}</Input.Error>}
        </div>
      )}
      <Default form={form} />
      {type !== 'checkbox' && (
        <Checkbox
          label="Required: nobody may empty it"
          {...form.getInputProps('required', { type: 'checkbox' })}
        />
      )}
      <Checkbox
        label="Hide in forms: only scripts and the API set it"
        {...form.getInputProps('hide_in_ui', { type: 'checkbox' })}
      />
      <Checkbox
        label="Hide in the summary of a machine"
        {...form.getInputProps('hide_in_summary', { type: 'checkbox' })}
      />
    </Stack>
  )
}

function Default({ form }: { form: UseFormReturnType<FieldForm> }) {
  const { type } = form.values
  const label = 'Default'
  const description = 'What counts where nothing is given.'
  const text = form.getInputProps('default_value_string')
  switch (type) {
    case 'checkbox':
      return (
        <Checkbox label="On by default" {...form.getInputProps('default_value_bool', { type: 'checkbox' })} />
      )
    case 'single':
      return (
        <Select
          {...text}
          label={label}
          description={description}
          data={[...new Set(cleanOptions(form.values))]}
          clearable
          value={form.values.default_value_string || null}
          onChange={(next) => form.setFieldValue('default_value_string', next ?? '')}
        />
      )
    case 'multiple':
      return (
        <MultiSelect
          label={label}
          description={description}
          data={[...new Set(cleanOptions(form.values))]}
          clearable
          {...form.getInputProps('default_values_multiple')}
        />
      )
    default:
      return (
        <TextInput
          label={label}
          description={description}
          {...(type === 'datetime' ? { type: 'datetime-local' } : {})}
          {...(type === 'number' ? { inputMode: 'decimal' as const } : {})}
          maxLength={10_000}
          {...text}
        />
      )
  }
}
