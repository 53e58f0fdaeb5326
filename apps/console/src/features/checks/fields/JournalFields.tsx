import { JOURNAL_PRIORITIES } from '@muster/contract/agent/checks'
import type { FieldsProps } from './fields-props.ts'
import { Choice, MachineText, SeverityChoice, WholeNumber } from './FieldParts.tsx'
import { EntryFields, NameField } from './EntryFields.tsx'

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
