import { NumberInput, SimpleGrid } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import '@mantine/core/styles/SimpleGrid.css'
import { describeThresholds } from '../preview-text.ts'
import type { FieldsProps } from './FieldParts.tsx'
import classes from './Fields.module.css'
import { FIELD_LABELS } from '../field-labels.ts'

interface ThresholdFieldsProps extends Pick<FieldsProps, 'agent' | 'form' | 'onLeaveThresholds'> {
  /** Unit of the thresholds: `% in use`. */
  unit: string
  /** The direction: warns above it, or below it. */
  reverse: boolean
  autoFocus?: boolean
}

/** The pair of thresholds. An error of both together is shown on leaving the pair. */
export function ThresholdFields({
  agent,
  form,
  onLeaveThresholds,
  unit,
  reverse,
  autoFocus = false,
}: ThresholdFieldsProps) {
  const words = describeThresholds(form.values, { unit, reverse, usualInterval: agent.check_interval })
  const input = (name: 'warning_threshold' | 'error_threshold') => {
    const { onChange, ...props } = form.getInputProps(name)
    return (
      <NumberInput
        label={FIELD_LABELS[name]}
        placeholder="Off"
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
        // Shown when both fields are left: between them the user is still editing.
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
    <div
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) sayWhatIsWrong()
      }}
      // Enter does not press a disabled button, so the reason is shown here.
      onKeyDown={(event) => event.key === 'Enter' && sayWhatIsWrong()}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {input('warning_threshold')}
        {input('error_threshold')}
      </SimpleGrid>
      <p className={classes.words}>{words}</p>
    </div>
  )
}
