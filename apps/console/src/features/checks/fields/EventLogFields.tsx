import { SimpleGrid } from '@mantine/core'
import '@mantine/core/styles/SimpleGrid.css'
import { EVENT_LOGS } from '@muster/contract/agent/checks'
import type { FieldsProps } from './fields-props.ts'
import { Choice, MachineText, SeverityChoice, WholeNumber } from './FieldParts.tsx'
import { EntryFields, NameField } from './EntryFields.tsx'

const LOGS = EVENT_LOGS.map((name) => ({ value: name, label: name }))
const TYPES = [
  { value: 'INFO', label: 'Information' },
  { value: 'WARNING', label: 'Warning' },
  { value: 'ERROR', label: 'Error or critical' },
  { value: 'AUDIT_SUCCESS', label: 'Audit success' },
  { value: 'AUDIT_FAILURE', label: 'Audit failure' },
]

/** Fields for the Windows event log. */
export function EventLogFields({ form }: FieldsProps) {
  return (
    <>
      <NameField form={form} />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <Choice form={form} name="log_name" choices={LOGS} />
        <Choice form={form} name="event_type" choices={TYPES} />
      </SimpleGrid>
      <MachineText form={form} name="event_id" description="Number, or * for every event" />
      <MachineText form={form} name="event_source" description="Part of the source; empty = any" />
      <MachineText form={form} name="event_message" description="Part of the message; empty = any" />
      <EntryFields form={form}>
        <WholeNumber
          form={form}
          name="search_last_days"
          description="From 0 to 9999. 0 = the whole log."
          suffix=" d"
        />
      </EntryFields>
      <SeverityChoice form={form} />
    </>
  )
}
