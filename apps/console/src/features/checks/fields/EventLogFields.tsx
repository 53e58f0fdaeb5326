import '@mantine/core/styles/SimpleGrid.css'
import { SimpleGrid, TextInput } from '@mantine/core'
import { EVENT_LOGS, JOURNAL_PRIORITIES } from '@muster/contract/agent/checks'
import type { ReactNode } from 'react'
import { FIELD_LABELS } from '../field-labels.ts'
import { Choice, type FieldsProps, MachineText, SeverityChoice, WholeNumber } from './FieldParts.tsx'

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
function EntryFields({ form, children }: FormProps & { children: ReactNode }) {
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

const PRIORITIES = JOURNAL_PRIORITIES.map((name, index) => ({ value: name, label: `${name} (${index})` }))

/** Fields for systemd's journal. */
export function JournalFields({ form }: FieldsProps) {
  return (
    <>
      <NameField form={form} />
      <MachineText
        form={form}
        name="unit"
        description="Name of a systemd unit; empty = any"
        placeholder="ssh.service"
      />
      <Choice
        form={form}
        name="priority"
        description="This priority and more serious ones"
        choices={PRIORITIES}
      />
      <MachineText form={form} name="event_message" description="Part of the message; empty = any" />
      <EntryFields form={form}>
        <WholeNumber
          form={form}
          name="search_last_minutes"
          description="From 1 to 525600. 1440 minutes are a day."
          suffix=" min"
        />
      </EntryFields>
      <SeverityChoice form={form} />
    </>
  )
}

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
          description="Days to search"
          placeholder="Whole log"
          suffix=" d"
        />
      </EntryFields>
      <SeverityChoice form={form} />
    </>
  )
}
