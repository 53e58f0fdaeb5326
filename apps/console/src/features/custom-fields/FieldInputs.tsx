import { Checkbox, MultiSelect, Select, TextInput } from '@mantine/core'
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import type { UseFormReturnType } from '@mantine/form'
import type { CustomField } from '@muster/contract/api/custom-fields'
import type { FieldInputs as Inputs } from './field-values.ts'
import { describeDefault } from './field-values.ts'
import classes from './FieldInputs.module.css'

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

function FieldInput({ field, props }: { field: CustomField; props: InputProps }) {
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
      return <TextInput {...shared} type="datetime-local" />
    case 'number':
      return <TextInput {...shared} inputMode="decimal" maxLength={100} />
    case 'text':
      return <TextInput {...shared} maxLength={10_000} />
  }
}
