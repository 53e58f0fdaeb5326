import { SimpleGrid } from '@mantine/core'
import '@mantine/core/styles/SimpleGrid.css'
import type { FieldsProps } from './fields-props.ts'
import { Choice, MachineText, SeverityChoice, WholeNumber } from './FieldParts.tsx'

const EXPECTATIONS = [
  { value: 'exists', label: 'File exists' },
  { value: 'missing', label: 'File does not exist' },
]

export function FileFields({ agent, form }: FieldsProps) {
  return (
    <>
      <MachineText
        form={form}
        name="path"
        placeholder={agent.plat === 'windows' ? 'C:\\Backup\\last.log' : '/var/backups/last.log'}
        autoFocus
      />
      <Choice form={form} name="expect" choices={EXPECTATIONS} />
      {form.values.expect === 'exists' && (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <WholeNumber
            form={form}
            name="max_age_minutes"
            description="Since the last change; 0 = any"
            suffix=" min"
          />
          <WholeNumber form={form} name="max_size_mb" description="0 = any." suffix=" MB" />
        </SimpleGrid>
      )}
      <SeverityChoice form={form} />
    </>
  )
}
