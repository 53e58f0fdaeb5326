import { Checkbox, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../../app/api/queries.ts'
import { MODELS } from '../../custom-fields/field-words.ts'
import { fieldsQuery } from '../../custom-fields/fields-query.ts'
import type { TaskFieldsProps } from './form-props.ts'

/** The custom field that takes what the task prints. */
export function ResultField({ form }: Pick<TaskFieldsProps, 'form'>) {
  const mayView = useMay('can_view_customfields')
  const { data: fields = [], isSuccess } = useQuery({ ...fieldsQuery, enabled: mayView })
  const chosen = form.values.custom_field
  const isGone = isSuccess && chosen !== null && !fields.some(({ id }) => `${id}` === chosen)
  const groups = MODELS.map(({ model, label }) => ({
    group: label,
    items: fields
      .filter((field) => field.model === model)
      .map(({ id, name }) => ({ value: `${id}`, label: name })),
  })).filter(({ items }) => items.length > 0)
  return (
    <>
      <Select
        label="Result to a custom field"
        description={
          mayView
            ? isGone
              ? 'The custom field that was chosen here does not exist any more.'
              : 'Of each run that ends well. A run that prints an error then counts as failed.'
            : 'Your role does not allow you to see custom fields.'
        }
        placeholder={mayView && fields.length === 0 ? 'There are no custom fields yet' : 'None'}
        data={groups}
        disabled={!mayView}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Keep the result in no custom field' }}
        nothingFoundMessage="No such custom field"
        {...form.getInputProps('custom_field')}
      />
      {chosen !== null && (
        <Checkbox
          label="All that it prints, instead of the last line"
          disabled={!mayView}
          {...form.getInputProps('collector_all_output', { type: 'checkbox' })}
        />
      )}
    </>
  )
}
