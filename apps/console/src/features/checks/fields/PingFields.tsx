import { TextInput } from '@mantine/core'
import { FIELD_LABELS } from '../field-labels.ts'
import type { FieldsProps } from './fields-props.ts'
import { MachineText, SeverityChoice } from './FieldParts.tsx'

export function PingFields({ form }: FieldsProps) {
  return (
    <>
      <TextInput label={FIELD_LABELS.name} maxLength={255} data-autofocus {...form.getInputProps('name')} />
      <MachineText form={form} name="ip" placeholder="192.0.2.1" />
      <SeverityChoice form={form} />
    </>
  )
}
