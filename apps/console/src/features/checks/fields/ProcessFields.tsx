import type { FieldsProps } from './fields-props.ts'
import { Choice, MachineText, SeverityChoice, WholeNumber } from './FieldParts.tsx'

const EXPECTATIONS = [
  { value: 'running', label: 'It is running' },
  { value: 'not_running', label: 'It is not running' },
]

export function ProcessFields({ agent, form }: FieldsProps) {
  return (
    <>
      <MachineText
        form={form}
        name="process_name"
        description="The name of the program."
        placeholder={agent.plat === 'windows' ? 'notepad.exe' : 'sshd'}
        autoFocus
      />
      <Choice form={form} name="expect" choices={EXPECTATIONS} />
      {form.values.expect === 'running' && (
        <>
          <WholeNumber
            form={form}
            name="min_count"
            description="So many processes of that name."
            boundTo="max_count"
          />
          <WholeNumber form={form} name="max_count" description="Not less than at least; 0 = any." />
          <WholeNumber
            form={form}
            name="max_memory_mb"
            description="Of all of them together; 0 = any."
            suffix=" MB"
          />
        </>
      )}
      <SeverityChoice form={form} />
    </>
  )
}
