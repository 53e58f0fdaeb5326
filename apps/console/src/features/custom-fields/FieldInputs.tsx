import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { Checkbox, MultiSelect, Select, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { CustomField } from '@muster/contract/api/custom-fields'
import type { CustomFieldModel } from '@muster/contract/custom-field-values'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { useMay } from '../../app/api/queries.ts'
import { describeDefault, type FieldInputs as Inputs } from './field-values.ts'
import classes from './FieldInputs.module.css'
import { fieldsQuery } from './field-form.ts'
import { DateTimeField } from '../../ui/inputs/DateTimeField.tsx'

interface FieldInputsProps<Values extends { fields: Inputs }> {
  fields: readonly CustomField[]
  form: UseFormReturnType<Values>
}

/** The custom fields of a form, each with the input of its type. The form stores them under `fields`. */
export function FieldInputs<Values extends { fields: Inputs }>({ fields, form }: FieldInputsProps<Values>) {
  if (fields.length === 0) return null
  return (
    <section className={classes.fields} aria-label="Custom fields">
      {fields.map((field) => (
        <FieldInput
          key={field.id}
          field={field}
          props={form.getInputProps(`fields.${field.id}`, {
            type: field.type === 'checkbox' ? 'checkbox' : 'input',
          })}
        />
      ))}
    </section>
  )
}

/** Mantine's props for a form path; the field's type determines the kind of value. */
type InputProps = ReturnType<UseFormReturnType<{ fields: Inputs }>['getInputProps']>

/** The input of a custom field. */
export function FieldInput({ field, props }: { field: CustomField; props: InputProps }) {
  const usual = describeDefault(field)
  const { name: label, type, options, required } = field
  const shared = {
    label,
    ...(usual === undefined ? {} : { description: `Default: ${usual}` }),
    // An empty field has its default: no value is required.
    withAsterisk: required && usual === undefined,
    ...props,
  }
  switch (type) {
    case 'checkbox':
      return <Checkbox label={label} {...props} />
    case 'single':
      return (
        <Select {...shared} data={options} searchable clearable nothingFoundMessage="No matching choice" />
      )
    case 'multiple':
      return (
        <MultiSelect
          {...shared}
          data={options}
          searchable
          clearable
          nothingFoundMessage="No matching choice"
        />
      )
    case 'datetime':
      return <DateTimeField {...shared} />
    case 'number':
      return <TextInput {...shared} inputMode="decimal" maxLength={100} />
    case 'text':
      return <TextInput {...shared} maxLength={10_000} />
  }
}

interface WithFieldsProps {
  model: CustomFieldModel
  /** Title of the dialog while the fields load. */
  title: string
  onClose: () => void
  children: (fields: readonly CustomField[]) => ReactNode
}

/** Draws a form once its custom fields are known; none for users who may not see them. */
export function WithFields({ model, title, onClose, children }: WithFieldsProps) {
  const mayView = useMay('can_view_customfields')
  const { data, error, refetch } = useQuery({ ...fieldsQuery, enabled: mayView })
  if (!mayView) return children([])
  if (data === undefined) {
    return <StateDialog title={title} onClose={onClose} error={error} onRetry={() => void refetch()} />
  }
  return children(data.filter((field) => field.model === model && !field.hide_in_ui))
}
