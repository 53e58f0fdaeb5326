import { Checkbox, Stack, Textarea, TextInput } from '@mantine/core'
import type { SectionProps } from './PolicyEditor.tsx'
import { Section } from './Section.tsx'

export function PolicyGeneral({ draft, change, disabled }: SectionProps) {
  return (
    <Section title="Policy">
      <Stack gap="md">
        <TextInput
          label="Name"
          required
          maxLength={255}
          disabled={disabled}
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <Textarea
          label="Description"
          maxLength={1000}
          autosize
          maxRows={5}
          dir="auto"
          disabled={disabled}
          value={draft.desc}
          onChange={(event) => change({ desc: event.currentTarget.value })}
        />
        <Checkbox
          label="Active"
          description="Only active policies give anything to machines."
          disabled={disabled}
          checked={draft.active}
          onChange={(event) => change({ active: event.currentTarget.checked })}
        />
        <Checkbox
          label="Enforced"
          description="Stands before what a machine has of its own; its own checks of the same thing rest."
          disabled={disabled}
          checked={draft.enforced}
          onChange={(event) => change({ enforced: event.currentTarget.checked })}
        />
      </Stack>
    </Section>
  )
}
