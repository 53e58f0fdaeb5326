import { NumberInput, Select } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import type { UseFormReturnType } from '@mantine/form'
import { MOST_DAYS } from '@muster/rules/retention'
import classes from './SettingsDialog.module.css'
import type { Values } from './settings-form.ts'

const MOST_MEGABYTES = 1000

type RecordingNumber = 'recording_keep_days' | 'recording_max_mb'

interface RecordingFieldsProps {
  form: UseFormReturnType<Values>
  wrong: Partial<Record<RecordingNumber, string>>
  disabled: boolean
}

/** What is recorded of terminals, up to which size, and for how long. */
export function RecordingFields({ form, wrong, disabled }: RecordingFieldsProps) {
  const number = (name: RecordingNumber, label: string, description: string) => (
    <NumberInput
      label={label}
      description={description}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      suffix={name === 'recording_max_mb' ? ' MB' : ' days'}
      clampBehavior="none"
      allowDecimal={false}
      allowNegative={false}
      {...form.getInputProps(name)}
      error={wrong[name] ?? form.errors[name]}
    />
  )
  return (
    <fieldset className={classes.group} disabled={disabled}>
      <legend className={classes.legend}>Recordings of terminals</legend>
      <p className={classes.note}>
        What a terminal shows is kept, encrypted; keys are not. Whoever opens it is told. A shorter time
        removes what is older, for good.
      </p>
      <div className={classes.fields}>
        <Select
          label="Recorded terminals"
          description="Servers are the machines that are monitored as such."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          allowDeselect={false}
          data={[
            { value: 'servers', label: 'Of servers' },
            { value: 'all', label: 'Of all machines' },
            { value: 'none', label: 'Of no machine' },
          ]}
          {...form.getInputProps('record_terminals')}
        />
        {number('recording_keep_days', 'Recordings kept', 'Counted from when the terminal was opened.')}
        {number('recording_max_mb', 'Largest recording', 'The recording ends there, the terminal goes on.')}
      </div>
    </fieldset>
  )
}

export function checkRecordings(
  values: Pick<Values, RecordingNumber>,
): Partial<Record<RecordingNumber, string>> {
  const isWithin = (value: number | '', most: number) => value !== '' && value >= 1 && value <= most
  return {
    ...(isWithin(values.recording_keep_days, MOST_DAYS)
      ? {}
      : { recording_keep_days: `From 1 to ${MOST_DAYS} days.` }),
    ...(isWithin(values.recording_max_mb, MOST_MEGABYTES)
      ? {}
      : { recording_max_mb: `From 1 to ${MOST_MEGABYTES} MB.` }),
  }
}
