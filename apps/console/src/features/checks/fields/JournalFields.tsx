import { JOURNAL_PRIORITIES } from '@muster/contract/agent/checks'
import type { FieldsProps } from './fields-props.ts'
import { Choice, MachineText, SeverityChoice, WholeNumber } from './FieldParts.tsx'
import { EntryFields, NameField } from './EntryFields.tsx'

const PRIORITIES = JOURNAL_PRIORITIES.map((name, index) => ({ value: name, label: `${name} (${index})` }))

/** Of systemd's journal. */
export function JournalFields({ form }: FieldsProps) {
  return (
    <>
      <NameField form={form} />
      <MachineText
        form={form}
        name="unit"
        description="The name of a systemd unit; empty = any."
        placeholder="ssh.service"
      />
      <Choice
        form={form}
        name="priority"
        description="Entries of this priority and more serious ones."
        choices={PRIORITIES}
      />
      <MachineText form={form} name="event_message" description="A part of it; empty = any." />
      <EntryFields form={form}>
        <WholeNumber
          form={form}
          name="search_last_minutes"
          description="From 1 to 525600; 1440 are a day."
          suffix=" min"
        />
      </EntryFields>
      <SeverityChoice form={form} />
    </>
  )
}
