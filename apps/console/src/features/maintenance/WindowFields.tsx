import { Checkbox, Group, MultiSelect, NumberInput, Select, Stack, Textarea, TextInput } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import type { UseFormReturnType } from '@mantine/form'
import { listTimeZones } from '../setup/time-zones.ts'
import classes from './Maintenance.module.css'
import { WEEKDAYS } from './schedule-labels.ts'
import { filterTargets, type TargetGroup } from './target-choices.ts'
import { UNIT_CHOICES, type WindowForm } from './window-form.ts'
import { DateTimeField } from '../../ui/inputs/DateTimeField.tsx'

interface WindowFieldsProps {
  form: UseFormReturnType<WindowForm>
  targets: readonly TargetGroup[]
  /** New windows may start at once. */
  mayBeNow: boolean
}

const WHEN_CHOICES = [
  { value: 'now', label: 'Now' },
  { value: 'once', label: 'Once, at a set time' },
  { value: 'daily', label: 'Every day' },
  { value: 'weekly', label: 'Every week' },
  { value: 'monthly', label: 'Every month' },
]

export function WindowFields({ form, targets, mayBeNow }: WindowFieldsProps) {
  const { when } = form.values
  return (
    <Stack gap="md">
      <MultiSelect
        label="Targets"
        placeholder={form.values.targets.length === 0 ? 'Clients, sites or machines' : ''}
        data={[...targets]}
        filter={filterTargets}
        searchable
        nothingFoundMessage="No matches"
        hidePickedOptions
        {...form.getInputProps('targets')}
      />
      <Select
        label="When"
        data={WHEN_CHOICES.filter(({ value }) => mayBeNow || value !== 'now')}
        allowDeselect={false}
        data-autofocus
        {...form.getInputProps('when')}
      />
      {when === 'now' ? <NowFields form={form} /> : <PlannedFields form={form} />}
      <Textarea
        label="Reason"
        description="Optional, shown at the machines"
        maxLength={500}
        autosize
        maxRows={4}
        dir="auto"
        {...form.getInputProps('reason')}
      />
    </Stack>
  )
}

type FormProps = Pick<WindowFieldsProps, 'form'>

function NowFields({ form }: FormProps) {
  return (
    <>
      <DateTimeField label="Until" disabled={form.values.open} {...form.getInputProps('now_until')} />
      <OpenEnd form={form} />
    </>
  )
}

function OpenEnd({ form }: FormProps) {
  return (
    <Checkbox
      label="No end time"
      description="Alerts stay off until you end it. A banner reminds you."
      {...form.getInputProps('open', { type: 'checkbox' })}
    />
  )
}

function PlannedFields({ form }: FormProps) {
  const { when, open } = form.values
  const recurs = when !== 'once'
  return (
    <>
      {when === 'weekly' && (
        <Checkbox.Group label="On" {...form.getInputProps('weekdays')}>
          <Group gap="sm" mt="xs">
            {WEEKDAYS.map(({ value, label }) => (
              <Checkbox key={value} value={value} label={label} size="xs" />
            ))}
          </Group>
        </Checkbox.Group>
      )}
      {when === 'monthly' && (
        <TextInput
          label="Days of the month"
          description="For example 1, 15, last"
          maxLength={200}
          {...form.getInputProps('month_days')}
        />
      )}
      <div className={classes.pair}>
        <DateTimeField isDay label={recurs ? 'Not before' : 'Day'} {...form.getInputProps('date')} />
        <TextInput type="time" label="Starts at" {...form.getInputProps('time')} />
      </div>
      <div className={classes.pair}>
        <NumberInput
          label="Duration"
          min={1}
          max={527_040}
          allowDecimal={false}
          clampBehavior="none"
          disabled={open && !recurs}
          {...form.getInputProps('length')}
        />
        <Select
          label="Unit"
          data={UNIT_CHOICES}
          allowDeselect={false}
          disabled={open && !recurs}
          {...form.getInputProps('unit')}
        />
      </div>
      {!recurs && <OpenEnd form={form} />}
      <Select
        label="Time zone"
        data={zonesWith(form.values.time_zone)}
        searchable
        allowDeselect={false}
        limit={200}
        nothingFoundMessage="No matching time zone"
        {...form.getInputProps('time_zone')}
      />
      {recurs && (
        <DateTimeField
          label="Ends"
          description="Optional. No maintenance starts after this time."
          {...form.getInputProps('until')}
        />
      )}
    </>
  )
}

/** A program may have stored another spelling of a zone's name. */
function zonesWith(zone: string): string[] {
  return [...new Set([...listTimeZones(), zone])]
}
