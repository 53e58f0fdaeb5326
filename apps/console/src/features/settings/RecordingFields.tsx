import { NumberInput, Select } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import type { UseFormReturnType } from '@mantine/form'
import { MOST_DAYS } from '@muster/rules/schedules/retention'
import classes from './SettingsDialog.module.css'
import type { Values } from './settings-form.ts'

const MOST_MEGABYTES = { recording_max_mb: 1000, desktop_recording_max_mb: 2000 }

type SizeName = keyof typeof MOST_MEGABYTES
type RecordingNumber = 'recording_keep_days' | SizeName

interface RecordingFieldsProps {
  form: UseFormReturnType<Values>
  wrong: Partial<Record<RecordingNumber, string>>
  disabled: boolean
}

/** What is recorded of terminals and desktops, up to which size, and for how long. */
export function RecordingFields({ form, wrong, disabled }: RecordingFieldsProps) {
  const number = (name: RecordingNumber, label: string, description: string) => (
    <NumberInput
      label={label}
      description={description}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      suffix={name === 'recording_keep_days' ? ' days' : ' MB'}
      clampBehavior="none"
      allowDecimal={false}
      allowNegative={false}
      {...form.getInputProps(name)}
      error={wrong[name] ?? form.errors[name]}
    />
  )
  return (
    <fieldset className={classes.group} disabled={disabled}>
      <legend className={classes.legend}>Recordings of terminals and desktops</legend>
      <p className={classes.note}>
        What they show is kept, encrypted; keys are not. Whoever opens one is told. Remote access of a client,
        a site or a machine says which desktops, and may say something else of terminals. A shorter time
        removes what is older, for good.
      </p>
      <div className={classes.pairs}>
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
        {number('recording_keep_days', 'Recordings kept', 'Counted from when the window was opened.')}
        {number(
          'recording_max_mb',
          'Largest of a terminal',
          'The recording ends there, the terminal goes on.',
        )}
        {number('desktop_recording_max_mb', 'Largest of a desktop', 'Likewise: the desktop goes on.')}
      </div>
    </fieldset>
  )
}

export function checkRecordings(
  values: Pick<Values, RecordingNumber>,
): Partial<Record<RecordingNumber, string>> {
  const isWithin = (value: number | '', most: number) => value !== '' && value >= 1 && value <= most
  const size = (name: SizeName) =>
    isWithin(values[name], MOST_MEGABYTES[name]) ? {} : { [name]: `From 1 to ${MOST_MEGABYTES[name]} MB.` }
  return {
    ...(isWithin(values.recording_keep_days, MOST_DAYS)
      ? {}
      : { recording_keep_days: `From 1 to ${MOST_DAYS} days.` }),
    ...size('recording_max_mb'),
    ...size('desktop_recording_max_mb'),
  }
}
