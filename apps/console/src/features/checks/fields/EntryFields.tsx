import { SimpleGrid, TextInput } from '@mantine/core'
import '@mantine/core/styles/SimpleGrid.css'
import type { ReactNode } from 'react'
import { FIELD_LABELS } from '../field-labels.ts'
import type { FieldsProps } from './fields-props.ts'
import { Choice, WholeNumber } from './FieldParts.tsx'

const CASES = [
  { value: 'contains', label: 'There are such entries' },
  { value: 'not_contains', label: 'There are no such entries' },
]

type FormProps = Pick<FieldsProps, 'form'>

/** What a check is called whose other fields name nothing. */
export function NameField({ form }: FormProps) {
  return (
    <TextInput label={FIELD_LABELS.name} maxLength={255} data-autofocus {...form.getInputProps('name')} />
  )
}

/** When the entries of a log that match make a check fail. `children`: how far back they are looked for. */
export function EntryFields({ form, children }: FormProps & { children: ReactNode }) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {children}
        <WholeNumber
          form={form}
          name="number_of_events_b4_alert"
          description="From 1 to 10000; fewer are as good as none."
        />
      </SimpleGrid>
      <Choice form={form} name="fail_when" choices={CASES} />
    </>
  )
}
