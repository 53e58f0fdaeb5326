import { ThresholdPreview } from '../ThresholdPreview.tsx'
import type { FieldsProps } from './fields-props.ts'
import { Choice } from './FieldParts.tsx'
import { ThresholdFields } from './ThresholdFields.tsx'

const KINDS = [
  { value: 'memory', label: 'Memory in use' },
  { value: 'swap', label: 'Swap in use' },
]

export function MemoryFields(props: FieldsProps) {
  return (
    <>
      <Choice form={props.form} name="memory_kind" choices={KINDS} />
      <ThresholdFields {...props} unit="%" reverse={false} autoFocus />
      <ThresholdPreview {...props} />
    </>
  )
}
