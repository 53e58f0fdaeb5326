import { NumberInput, SimpleGrid } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import '@mantine/core/styles/SimpleGrid.css'
import type { FieldsProps } from './fields-props.ts'
import { FIELD_LABELS } from '../field-labels.ts'

interface ThresholdFieldsProps extends Pick<FieldsProps, 'form' | 'onLeaveThresholds'> {
  /** What the numbers count: `% in use`. */
  unit: string
  /** When it warns: "Warns above it", "Warns below it". */
  reverse: boolean
  autoFocus?: boolean
}

/** The pair of thresholds. What is wrong with them together is said on leaving the pair. */
export function ThresholdFields({
  form,
  onLeaveThresholds,
  unit,
  reverse,
  autoFocus = false,
}: ThresholdFieldsProps) {
  const side = reverse ? 'Less than this' : 'More than this'
  const input = (name: 'warning_threshold' | 'error_threshold', word: string) => {
    const { onChange, ...props } = form.getInputProps(name)
    return (
      <NumberInput
        label={FIELD_LABELS[name]}
        description={`${side} is ${word}; 0 = none.`}
        suffix={` ${unit}`}
        min={0}
        decimalScale={2}
        clampBehavior="none"
        {...(autoFocus && name === 'warning_threshold' ? { 'data-autofocus': true } : {})}
        {...props}
        onChange={(value) => {
          onChange(value)
          // The message is about both numbers.
          form.clearFieldError('warning_threshold')
        }}
        // Told when both are left: between them one is still at it.
        onBlur={undefined}
      />
    )
  }
  const sayWhatIsWrong = () => {
    form.validateField('error_threshold')
    form.validateField('warning_threshold')
    onLeaveThresholds()
  }
  return (
    <SimpleGrid
      cols={{ base: 1, sm: 2 }}
      spacing="md"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) sayWhatIsWrong()
      }}
      // A disabled button is not pressed by Enter either, so the reason is said here.
      onKeyDown={(event) => event.key === 'Enter' && sayWhatIsWrong()}
    >
      {input('warning_threshold', 'a warning')}
      {input('error_threshold', 'an error')}
    </SimpleGrid>
  )
}
