import { Choice, type FieldsProps, MachineText, SeverityChoice, WholeNumber } from './FieldParts.tsx'

const EXPECTATIONS = [
  { value: 'running', label: 'Process is running' },
  { value: 'not_running', label: 'Process is not running' },
]

export function ProcessFields({ agent, form }: FieldsProps) {
  return (
    <>
      <MachineText
        form={form}
        name="process_name"
        description="Name of the program or script"
        placeholder={agent.plat === 'windows' ? 'notepad.exe' : 'sshd'}
        autoFocus
      />
      <Choice form={form} name="expect" choices={EXPECTATIONS} />
      {form.values.expect === 'running' && (
        <>
          <WholeNumber
            form={form}
            name="min_count"
            description="Number of processes with this name"
            boundTo="max_count"
          />
          <WholeNumber form={form} name="max_count" description="Not below “At least”" placeholder="Any" />
          <WholeNumber
            form={form}
            name="max_memory_mb"
            description="Of all processes together"
            placeholder="Any"
            suffix=" MB"
          />
        </>
      )}
      <SeverityChoice form={form} />
    </>
  )
}
