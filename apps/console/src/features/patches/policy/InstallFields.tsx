import '@mantine/core/styles/NumberInput.css'
import { Checkbox, Group, NumberInput, Select, Textarea, TextInput } from '@mantine/core'
import type {
  PatchAlert,
  PatchReboot,
  PatchRing,
  PatchSchedule,
  PatchScripts,
} from '@muster/contract/policies/patch-policy'
import { WEEKDAYS } from '@muster/rules/schedules/day-text'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '../../../app/api/queries.ts'
import { allScriptsQuery } from '../../scripts/all-scripts-query.ts'
import classes from './PatchPolicy.module.css'
import { readMonthDays, writeMonthDays } from './patch-parts.ts'

interface Fields<Value> {
  value: Value
  onChange: (value: Value) => void
}

interface NumberFieldProps extends Fields<number> {
  label: string
  unit?: string
  min: number
  max: number
}

function NumberField({ label, unit, min, max, value, onChange }: NumberFieldProps) {
  return (
    <NumberInput
      label={label}
      {...(unit === undefined ? {} : { suffix: ` ${unit}` })}
      min={min}
      max={max}
      clampBehavior="blur"
      allowDecimal={false}
      allowNegative={false}
      value={value}
      onChange={(next) => onChange(typeof next === 'number' ? next : min)}
    />
  )
}

const MAX_RING = 9

export function RingFields({ value, onChange }: Fields<PatchRing>) {
  return (
    <>
      <p className="dim small">
        Machines of later rings get a patch later. Without a ring, a machine is in ring 1.
      </p>
      <div className={classes.pair}>
        <NumberField
          label="Ring"
          min={1}
          max={MAX_RING}
          value={value.ring}
          onChange={(ring) => onChange({ ...value, ring, after_ring: value.after_ring && ring > 1 })}
        />
        <NumberField
          label="Delay"
          unit="days"
          min={0}
          max={90}
          value={value.delay_days}
          onChange={(delay_days) => onChange({ ...value, delay_days })}
        />
      </div>
      <Checkbox
        label="Wait for a success in the ring before"
        description="A failure on a machine there stops the patch."
        disabled={value.ring === 1}
        checked={value.after_ring}
        onChange={(event) => onChange({ ...value, after_ring: event.currentTarget.checked })}
      />
    </>
  )
}

const RECURS = [
  { value: 'weekly', label: 'On days of the week' },
  { value: 'monthly', label: 'On days of the month' },
  { value: 'window', label: 'In maintenance windows' },
]
/** Monday first. */
const DAY_ORDER = [1, 2, 3, 4, 5, 6, 0]

export function ScheduleFields({ value, onChange }: Fields<PatchSchedule>) {
  const [monthDays, setMonthDays] = useState(writeMonthDays(value.month_days))
  return (
    <>
      <Select
        label="Install approved patches"
        data={RECURS}
        allowDeselect={false}
        value={value.recurs}
        onChange={(recurs) =>
          onChange({ ...value, recurs: recurs === 'monthly' || recurs === 'window' ? recurs : 'weekly' })
        }
      />
      {value.recurs === 'window' && (
        <p className="dim small">
          At the start of each window that covers the machine. Nothing starts after its end.
        </p>
      )}
      {value.recurs === 'weekly' && (
        <Checkbox.Group
          label="Weekdays"
          value={value.weekdays.map(String)}
          onChange={(days) => onChange({ ...value, weekdays: days.map(Number).toSorted((a, b) => a - b) })}
        >
          <Group gap="sm" mt="xs">
            {DAY_ORDER.map((day) => (
              <Checkbox key={day} value={`${day}`} label={WEEKDAYS[day]} size="xs" />
            ))}
          </Group>
        </Checkbox.Group>
      )}
      {value.recurs === 'monthly' && (
        <TextInput
          label="Days of the month"
          description="For example 1, 15, last"
          maxLength={200}
          value={monthDays}
          onChange={(event) => {
            setMonthDays(event.currentTarget.value)
            onChange({ ...value, month_days: readMonthDays(event.currentTarget.value) })
          }}
        />
      )}
      {value.recurs !== 'window' && (
        <div className={classes.pair}>
          <TextInput
            type="time"
            label="Time"
            description="By the clock of each machine"
            value={value.time}
            onChange={(event) => {
              const time = event.currentTarget.value.slice(0, 5)
              if (time !== '') onChange({ ...value, time })
            }}
          />
          <NumberField
            label="Offline machines may start within"
            unit="hours"
            min={1}
            max={168}
            value={value.late_hours}
            onChange={(late_hours) => onChange({ ...value, late_hours })}
          />
        </div>
      )}
    </>
  )
}

export function ScriptsFields({ value, onChange }: Fields<PatchScripts>) {
  const mayList = useMay('can_list_scripts')
  const { data: scripts = [] } = useQuery({ ...allScriptsQuery, enabled: mayList })
  const choices = scripts.map(({ id, name }) => ({ value: `${id}`, label: name }))
  const choose = (part: 'before' | 'after', label: string, description: string) => {
    const id = value[part]
    const isKnown = id === null || choices.some((choice) => choice.value === `${id}`)
    return (
      <Select
        label={label}
        description={mayList ? description : 'Your role does not allow you to see scripts.'}
        placeholder="None"
        data={isKnown ? choices : [...choices, { value: `${id}`, label: `Script ${id}` }]}
        searchable
        clearable
        disabled={!mayList}
        value={id === null ? null : `${id}`}
        onChange={(next) => onChange({ ...value, [part]: next === null ? null : Number(next) })}
      />
    )
  }
  return (
    <>
      {choose('before', 'Before the installation', 'If it fails, nothing is installed.')}
      {choose('after', 'After the installation', 'Before a restart.')}
      <NumberField
        label="Time limit of each"
        unit="s"
        min={1}
        max={86_400}
        value={value.timeout}
        onChange={(timeout) => onChange({ ...value, timeout })}
      />
    </>
  )
}

const WHEN = [
  { value: 'never', label: 'Never' },
  { value: 'nobody', label: 'Only while nobody is signed in' },
  { value: 'warn', label: 'After a warning to the signed-in user' },
]

export function RestartFields({ value, onChange }: Fields<PatchReboot>) {
  const { when } = value
  return (
    <>
      <Select
        label="Restart the machine"
        data={WHEN}
        allowDeselect={false}
        value={when}
        onChange={(next) =>
          onChange({ ...value, when: next === 'nobody' || next === 'warn' ? next : 'never' })
        }
      />
      {when !== 'never' && (
        <Checkbox
          label="Only if the patches need it"
          checked={value.only_if_needed}
          onChange={(event) => onChange({ ...value, only_if_needed: event.currentTarget.checked })}
        />
      )}
      {when === 'warn' && (
        <>
          <p className="dim small">If nobody is signed in, the machine restarts at once.</p>
          <Textarea
            label="Message to the user"
            placeholder="Updates are installed."
            autosize
            minRows={2}
            maxRows={6}
            maxLength={500}
            value={value.message}
            onChange={(event) => onChange({ ...value, message: event.currentTarget.value })}
          />
          <div className={classes.pair}>
            <NumberField
              label="Warning time"
              unit="min"
              min={5}
              max={1440}
              value={value.delay_minutes}
              onChange={(delay_minutes) => onChange({ ...value, delay_minutes })}
            />
            <NumberField
              label="Postponements"
              min={0}
              max={100}
              value={value.postponements}
              onChange={(postponements) => onChange({ ...value, postponements })}
            />
            <NumberField
              label="Each by"
              unit="min"
              min={5}
              max={1440}
              value={value.postpone_minutes}
              onChange={(postpone_minutes) => onChange({ ...value, postpone_minutes })}
            />
          </div>
        </>
      )}
      {when !== 'never' && (
        <NumberField
          label={when === 'warn' ? 'Restart at the latest after' : 'Give up after'}
          unit="hours"
          min={1}
          max={336}
          value={value.deadline_hours}
          onChange={(deadline_hours) => onChange({ ...value, deadline_hours })}
        />
      )}
    </>
  )
}

export function AlertFields({ value, onChange }: Fields<PatchAlert>) {
  return (
    <Checkbox
      label="Alert when an installation fails"
      description="The alert template of the machine says who is notified. The next successful installation resolves the alert."
      checked={value.on_failure}
      onChange={(event) => onChange({ on_failure: event.currentTarget.checked })}
    />
  )
}
