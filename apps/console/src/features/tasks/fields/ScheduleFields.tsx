import '@mantine/core/styles/NumberInput.css'
import { Checkbox, Group, NumberInput, Select, TextInput } from '@mantine/core'
import { listAgentChecks } from '@muster/contract/api/checks'
import { isTimed, nextTaskRuns } from '@muster/rules/schedules/task-schedule'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { wallClockAt } from '@muster/rules/schedules/zone-time'
import { nameCheck } from '@muster/rules/checks/check-name'
import moment from 'moment'
import { query } from '../../../app/api/api.ts'
import { useMay } from '../../../app/api/queries.ts'
import { knownZone, MONTH_CHOICES, TYPE_CHOICES, WEEK_CHOICES, WEEKDAY_CHOICES } from '../task-labels.ts'
import { useDateFormat } from '../../../ui/layout/date-format.ts'
import { useNow } from '../../../ui/layout/use-now.ts'
import { ownTimeZone } from '../../setup/time-zones.ts'
import { toTimes } from '../task-form.ts'
import { Section, type TaskFieldsProps } from './GeneralFields.tsx'
import classes from './TaskFields.module.css'
import { DateTimeField } from '../../../ui/inputs/DateTimeField.tsx'

export function ScheduleFields({ agent, form }: TaskFieldsProps) {
  const type = TYPE_CHOICES.find(({ value }) => value === form.values.task_type)?.value ?? 'manual'
  return (
    <Section title="Schedule">
      <Select
        label="Runs"
        data={[...TYPE_CHOICES]}
        allowDeselect={false}
        {...form.getInputProps('task_type')}
      />
      {type === 'weekly' && <Weekdays form={form} />}
      {type === 'monthly' && (
        <TextInput
          label="Days of the month"
          description="For example 1, 15, last"
          maxLength={200}
          {...form.getInputProps('monthly_days_of_month')}
        />
      )}
      {type === 'monthlydow' && (
        <>
          <Choices form={form} name="monthly_weeks_of_month" label="Weeks" choices={WEEK_CHOICES} />
          <Weekdays form={form} />
        </>
      )}
      {(type === 'monthly' || type === 'monthlydow') && (
        <Choices form={form} name="monthly_months_of_year" label="Months" choices={MONTH_CHOICES} />
      )}
      {type === 'cron' && (
        <TextInput
          label="Cron expression"
          description="Minute, hour, day of the month, month, day of the week: 30 2 * * mon-fri"
          classNames={{ input: 'mono' }}
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          {...form.getInputProps('cron_expression')}
        />
      )}
      {type === 'checkfailure' && <CheckChoice agent={agent} form={form} />}
      {isTimed(type) && (
        <>
          <div className={classes.pair}>
            {type !== 'cron' && (
              <DateTimeField
                label={type === 'runonce' ? 'At' : 'First time'}
                {...form.getInputProps('run_time_date')}
              />
            )}
            {type === 'daily' && <Every form={form} name="daily_interval" unit="day" />}
            {type === 'weekly' && <Every form={form} name="weekly_interval" unit="week" />}
            {type !== 'runonce' && (
              <DateTimeField
                label="Ends"
                description="Optional. No runs after this time."
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                {...form.getInputProps('expire_date')}
              />
            )}
          </div>
          <NextRuns agent={agent} form={form} />
        </>
      )}
    </Section>
  )
}

type FormProps = Pick<TaskFieldsProps, 'form'>

interface EveryProps extends FormProps {
  name: 'daily_interval' | 'weekly_interval'
  unit: string
}

function Every({ form, name, unit }: EveryProps) {
  return (
    <NumberInput
      label="Every"
      suffix={form.values[name] === 1 ? ` ${unit}` : ` ${unit}s`}
      allowDecimal={false}
      clampBehavior="none"
      {...form.getInputProps(name)}
    />
  )
}

function Weekdays({ form }: FormProps) {
  return <Choices form={form} name="run_time_bit_weekdays" label="Weekdays" choices={WEEKDAY_CHOICES} />
}

interface ChoicesProps extends FormProps {
  name: string
  label: string
  choices: readonly { value: string; label: string }[]
}

function Choices({ form, name, label, choices }: ChoicesProps): ReactNode {
  return (
    <Checkbox.Group label={label} {...form.getInputProps(name)}>
      <Group gap="sm" mt="xs">
        {choices.map((choice) => (
          <Checkbox key={choice.value} {...choice} size="xs" />
        ))}
      </Group>
    </Checkbox.Group>
  )
}

function CheckChoice({ agent, form }: TaskFieldsProps) {
  const mayList = useMay('can_list_checks')
  const agentId = agent.agent_id ?? ''
  const options = query(listAgentChecks, { params: { agent_id: agentId }, query: {} })
  const { data: checks = [] } = useQuery({ ...options, enabled: mayList && agentId !== '' })
  const ofMachine = checks.map((check) => ({ value: `${check.id}`, label: nameCheck(check) }))
  return (
    <Select
      label="Check"
      placeholder="Choose a check"
      description={
        agent.agent_id === null
          ? 'Save the policy before you choose its new check.'
          : mayList
            ? undefined
            : 'Your role does not allow you to see checks.'
      }
      data={agent.agent_id === null ? [...agent.checks] : ofMachine}
      searchable
      allowDeselect={false}
      nothingFoundMessage={
        agent.agent_id === null ? 'No matching check in the policy' : `No matching check on ${agent.hostname}`
      }
      {...form.getInputProps('assigned_check')}
    />
  )
}

const SHOWN = 5
const NOW_EVERY_MS = 10_000

/** The next runs of the form's task, in the machine's time zone. */
function NextRuns({ agent, form }: TaskFieldsProps) {
  const nowMs = useNow(NOW_EVERY_MS)
  const times = toTimes(form.values)
  const zone = knownZone(agent.timezone)
  const runs = times === undefined ? [] : nextTaskRuns(times, zone, nowMs, SHOWN)
  return (
    <div className={classes.next} role="region" aria-label="Next runs">
      {times === undefined ? (
        <p className="dim">Complete the fields above to see the next runs.</p>
      ) : runs.length === 0 ? (
        <p>No more runs: all times have passed.</p>
      ) : (
        <>
          <p>
            {form.values.enabled ? 'Next' : 'When enabled'}, in the time zone of {agent.hostname}{' '}
            {agent.agent_id !== null && <span className="dim">({zone})</span>}
          </p>
          <ul className={classes.times}>
            {runs.map((run) => (
              <li key={run}>
                <Run zone={zone} runMs={run} isEverywhere={agent.agent_id === null} />
              </li>
            ))}
          </ul>
          {times.random_task_delay !== null && (
            <p className="dim">Each up to {times.random_task_delay} later.</p>
          )}
        </>
      )}
    </div>
  )
}

/** The time there, and here if it differs. */
function Run({ zone, runMs, isEverywhere }: { zone: string; runMs: number; isEverywhere: boolean }) {
  const format = useDateFormat()
  const there = wallClockAt(zone, runMs)
  const isElsewhere = !isEverywhere && there !== wallClockAt(ownTimeZone(), runMs)
  return (
    <>
      <time dateTime={new Date(runMs).toISOString()}>
        {moment.utc(there).format('ddd, D MMM YYYY, HH:mm')}
      </time>
      {isElsewhere && <span className="dim"> ({format(runMs)} here)</span>}
    </>
  )
}
