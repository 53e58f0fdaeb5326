import { ThresholdPreview } from '../ThresholdPreview.tsx'
import type { FieldsProps } from './fields-props.ts'
import { ThresholdFields } from './ThresholdFields.tsx'

export function CpuFields(props: FieldsProps) {
  return (
    <>
      <ThresholdFields {...props} unit="%" reverse={false} autoFocus />
      <ThresholdPreview {...props} />
    </>
  )
}
