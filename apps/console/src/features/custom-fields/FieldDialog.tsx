import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { createCustomField, type CustomField, editCustomField } from '@muster/contract/api/custom-fields'
import type { CustomFieldModel } from '@muster/contract/custom-field-values'
import { Checkbox, MultiSelect, Select, Stack, TextInput } from '@mantine/core'
import { ChangedMeanwhile, RecordDialog } from '../../app/dialogs/RecordDialog.tsx'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { call } from '../../app/api/api.ts'
import { type AddressedDialogProps, useRecordAddress } from '../../app/dialogs/use-dialog.ts'
import { useSaveInto } from '../../app/dialogs/use-save-into.ts'
import { ListField } from '../../ui/inputs/ListField.tsx'
import { DateTimeField } from '../../ui/inputs/DateTimeField.tsx'
import {
  checkFieldForm,
  cleanOptions,
  type FieldForm,
  fieldsQuery,
  hasChoices,
  MODELS,
  NEW_FIELD,
  readFieldForm,
  toFieldBody,
  TYPE_LABELS,
} from './field-form.ts'

/** A new custom field (`new.agent`) or an existing one (`3`). Closing leads to the list. */
export function FieldDialog({ item }: AddressedDialogProps) {
  const model = MODELS.find((one) => item === `new.${one.model}`)?.model
  const { openList } = useRecordAddress('custom-fields', 'custom-field', model ?? 'client')
  return (
    <RecordDialog
      list={fieldsQuery}
      item={model === undefined ? item : 'new'}
      title="Custom field"
      needs="can_manage_customfields"
      gone="This field does not exist any more."
      back="Show all fields"
      onClose={openList}
    >
      {(field, onReload) => (
        <DefinitionForm model={field?.model ?? model ?? 'client'} field={field} onReload={onReload} />
      )}
    </RecordDialog>
  )
}

interface DefinitionFormProps {
  model: CustomFieldModel
  /** The edited field, as it was when the form was opened. */
  field: CustomField | undefined
  onReload: (() => void) | undefined
}

const NOUNS = { client: 'clients', site: 'sites', agent: 'machines' }

function DefinitionForm({ model, field, onReload }: DefinitionFormProps) {
  const { openList } = useRecordAddress('custom-fields', 'custom-field', model)
  const saveInto = useSaveInto(fieldsQuery.queryKey)
  const form = useForm<FieldForm>({
    initialValues: field === undefined ? NEW_FIELD : readFieldForm(field),
    validate: checkFieldForm,
    validateInputOnBlur: true,
  })
  const save = async (values: FieldForm) => {
    await saveInto(async () => {
      const body = toFieldBody(model, values)
      if (field === undefined) await call(createCustomField, { body })
      else {
        const { id, modified } = field
        await call(editCustomField, { params: { id }, body: { ...body, modified } })
      }
    })
  }
  return (
    <FormDialog
      title={field === undefined ? `New field of ${NOUNS[model]}` : `Edit ${field.name}`}
      form={form}
      save={save}
      done={field === undefined ? 'Field added.' : 'Field saved.'}
      submitLabel={field === undefined ? 'Add field' : 'Save'}
      onClose={openList}
    >
      <ChangedMeanwhile what="this field" onReload={onReload} mb="md" />
      <DefinitionInputs form={form} isNew={field === undefined} />
    </FormDialog>
  )
}

interface DefinitionInputsProps {
  form: UseFormReturnType<FieldForm>
  isNew: boolean
}

/** The whole definition; the type cannot change later. */
function DefinitionInputs({ form, isNew }: DefinitionInputsProps) {
  const { type, options } = form.values
  return (
    <Stack gap="md">
      <TextInput label="Name" maxLength={100} data-autofocus {...form.getInputProps('name')} />
      <Select
        label="Type"
        data={Object.entries(TYPE_LABELS).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        disabled={!isNew}
        {...(isNew ? {} : { description: 'The type cannot be changed.' })}
        {...form.getInputProps('type')}
        onChange={(next) => {
          if (next === null) return
          form.setFieldValue('type', next as FieldForm['type'])
          form.setFieldValue('default_value_string', '')
        }}
      />
      {hasChoices(form.values) && (
        <ListField
          label="Choices"
          noun="choice"
          values={options}
          onChange={(next) => form.setFieldValue('options', next)}
          path="options"
          error={form.errors.options}
        />
      )}
      <Default form={form} />
      {type !== 'checkbox' && (
        <Checkbox label="Required" {...form.getInputProps('required', { type: 'checkbox' })} />
      )}
      <Checkbox
        label="Hide in forms (set by scripts and the API only)"
        {...form.getInputProps('hide_in_ui', { type: 'checkbox' })}
      />
      <Checkbox
        label="Hide in the machine summary"
        {...form.getInputProps('hide_in_summary', { type: 'checkbox' })}
      />
    </Stack>
  )
}

function Default({ form }: { form: UseFormReturnType<FieldForm> }) {
  const { type } = form.values
  const label = 'Default'
  const description = 'Used when no value is set.'
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
    case 'datetime':
      return <DateTimeField label={label} description={description} {...text} />
    default:
      return (
        <TextInput
          label={label}
          description={description}
          {...(type === 'number' ? { inputMode: 'decimal' as const } : {})}
          maxLength={10_000}
          {...text}
        />
      )
  }
}
