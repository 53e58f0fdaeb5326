import { Checkbox, NumberInput, Select, TextInput } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import { describeCron } from '@muster/rules/schedules/cron-text'
import type { JobForm, StartKind } from './job-form.ts'
import classes from './Jobs.module.css'
import { DateTimeField } from '../../ui/inputs/DateTimeField.tsx'

const STARTS = [
  { value: 'now', label: 'Now' },
  { value: 'time', label: 'At a time' },
  { value: 'machine_time', label: 'At a time on the clock of each machine' },
  { value: 'repeat', label: 'Repeatedly' },
] satisfies { value: StartKind; label: string }[]

const CLOCKS = [
  { value: 'server', label: 'The server' },
  { value: 'machine', label: 'Each machine' },
]

interface JobScheduleFieldsProps {
  form: JobForm
  onChange: (values: Partial<JobForm>) => void
}

/** When a job starts, whether it waits for maintenance windows, and when it expires. */
export function JobScheduleFields({ form, onChange }: JobScheduleFieldsProps) {
  return (
    <>
      <div className={classes.row}>
        <Select
          label="Start"
          data={STARTS}
          allowDeselect={false}
          value={form.start}
          // Chosen from STARTS.
          onChange={(start) => start !== null && onChange({ start: start as StartKind })}
        />
        {(form.start === 'time' || form.start === 'machine_time') && (
          <DateTimeField
            label="Start time"
            value={form.startAt}
            onChange={(startAt) => onChange({ startAt })}
          />
        )}
        {form.start === 'repeat' && <CronFields form={form} onChange={onChange} />}
      </div>
      {form.start === 'repeat' && <p className={classes.help}>{describeRepeats(form)}</p>}
      <WaitFields form={form} onChange={onChange} />
    </>
  )
}

/** The same for a job that repeats. */
export function RepeatFields({ form, onChange }: JobScheduleFieldsProps) {
  return (
    <>
      <div className={classes.row}>
        <CronFields form={form} onChange={onChange} />
      </div>
      <p className={classes.help}>{describeRepeats(form)}</p>
      <WaitFields form={form} onChange={onChange} />
    </>
  )
}

function describeRepeats({ cron }: JobForm): string {
  const when = describeCron(cron) ?? 'Minute, hour, day of the month, month, day of the week'
  return `${when}. Each time is planned again and is a job of its own.`
}

function CronFields({ form, onChange }: JobScheduleFieldsProps) {
  return (
    <>
      <TextInput
        label="Cron expression"
        placeholder="30 2 * * mon-fri"
        classNames={{ input: 'mono' }}
        maxLength={200}
        value={form.cron}
        onChange={({ currentTarget }) => onChange({ cron: currentTarget.value })}
        autoComplete="off"
        spellCheck={false}
      />
      <Select
        label="Clock of"
        data={CLOCKS}
        allowDeselect={false}
        value={form.clock}
        onChange={(clock) => clock !== null && onChange({ clock: clock as JobForm['clock'] })}
      />
    </>
  )
}

function WaitFields({ form, onChange }: JobScheduleFieldsProps) {
  return (
    <>
      <Checkbox
        label="Only while a maintenance window is open"
        description="Each machine waits for its window. Machines without one are skipped."
        checked={form.inWindows}
        onChange={({ currentTarget }) =>
          onChange({
            inWindows: currentTarget.checked,
            // Most windows open once a week.
            ...(currentTarget.checked && form.expiresHours === 48 && { expiresHours: 168 }),
          })
        }
      />
      <div className={classes.row}>
        <Select
          label="Offline machines"
          data={[
            { value: 'keep', label: 'Run when they return' },
            { value: 'skip', label: 'Skip' },
          ]}
          allowDeselect={false}
          value={form.offline}
          onChange={(offline) => offline !== null && onChange({ offline: offline as 'keep' | 'skip' })}
        />
        <NumberInput
          label="Expires after"
          suffix=" h"
          min={1}
          max={720}
          value={form.expiresHours}
          onChange={(expiresHours) => onChange({ expiresHours })}
        />
      </div>
    </>
  )
}
