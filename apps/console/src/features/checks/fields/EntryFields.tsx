import { SimpleGrid, TextInput } from '@mantine/core'
import '@mantine/core/styles/SimpleGrid.css'
import type { ReactNode } from 'react'
import { FIELD_LABELS } from '../field-labels.ts'
import type { FieldsProps } from './fields-props.ts'
import { Choice, WholeNumber } from './FieldParts.tsx'

const CASES = [
  { value: 'contains', label: 'Entries match' },
  { value: 'not_contains', label: 'No entries match' },
]

type FormProps = Pick<FieldsProps, 'form'>

/** The name of a check whose other fields are no name. */
export function NameField({ form }: FormProps) {
  return (
    <TextInput label={FIELD_LABELS.name} maxLength={255} data-autofocus {...form.getInputProps('name')} />
  )
}

/** When matching log entries make a check fail. `children`: the time range of the search. */
export function EntryFields({ form, children }: FormProps & { children: ReactNode }) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {children}
        <WholeNumber
          form={form}
          name="number_of_events_b4_alert"
          description="From 1 to 10000. Fewer entries do not count."
        />
      </SimpleGrid>
      <Choice form={form} name="fail_when" choices={CASES} />
    </>
  )
}
