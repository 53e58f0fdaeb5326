import { ActionIcon, Button, Input, NumberInput, Select, TextInput } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useId } from 'react'
import { type CheckForm, asRows } from '../check-form.ts'
import { FIELD_LABELS } from '../field-labels.ts'
import classes from './Fields.module.css'

const NEW_ROW = { name: '', warning_threshold: '', error_threshold: '', reverse: false }
const SIDES = [
  { value: 'false', label: 'above' },
  { value: 'true', label: 'below' },
]

/** Thresholds of the numbers that a script prints. */
export function MetricFields({ form }: { form: UseFormReturnType<CheckForm> }) {
  const labelId = useId()
  const rows = asRows(form.values.metric_thresholds)
  return (
    <div role="group" aria-labelledby={labelId}>
      <Input.Label component="span" id={labelId}>
        {FIELD_LABELS.metric_thresholds}
      </Input.Label>
      <Input.Description mb={4}>
        A script may print lines such as “metric queue=12 jobs”. Each name has a graph, and may have
        thresholds here.
      </Input.Description>
      {rows.map((row, index) => {
        const at = `metric_thresholds.${index}`
        return (
          <div key={index} className={classes.metric}>
            <TextInput
              aria-label={`Name of metric ${index + 1}`}
              placeholder="name"
              classNames={{ input: 'mono' }}
              autoComplete="off"
              spellCheck={false}
              {...form.getInputProps(`${at}.name`)}
            />
            <Select
              aria-label={`Metric ${index + 1} fails when`}
              data={SIDES}
              allowDeselect={false}
              value={row.reverse === true ? 'true' : 'false'}
              onChange={(value) => form.setFieldValue(`${at}.reverse`, value === 'true')}
            />
            <NumberInput
              aria-label={`Warning threshold of metric ${index + 1}`}
              placeholder="no warning"
              suffix=" warning"
              {...form.getInputProps(`${at}.warning_threshold`)}
            />
            <NumberInput
              aria-label={`Error threshold of metric ${index + 1}`}
              placeholder="no error"
              suffix=" error"
              {...form.getInputProps(`${at}.error_threshold`)}
            />
            <ActionIcon
              size="input-sm"
              aria-label={`Remove metric ${index + 1}`}
              onClick={() => form.removeListItem('metric_thresholds', index)}
            >
              <IconX size={16} stroke={1.75} />
            </ActionIcon>
          </div>
        )
      })}
      <Button
        variant="subtle"
        color="gray"
        leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
        disabled={rows.length >= 20}
        onClick={() => form.insertListItem('metric_thresholds', { ...NEW_ROW })}
      >
        Add metric
      </Button>
    </div>
  )
}
