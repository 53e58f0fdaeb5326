import { Checkbox, Select, TextInput, type TextInputProps } from '@mantine/core'
import { isTimed, parseTimePeriod } from '@muster/rules/schedules/task-schedule'
import { useEffect } from 'react'
import { POLICY_CHOICES, TYPE_CHOICES } from '../task-labels.ts'
import { Section, type TaskFieldsProps } from './GeneralFields.tsx'
import classes from './TaskFields.module.css'

/** Repetition, delay, and handling of overlaps and missed runs. */
export function MoreFields({ agent, form }: TaskFieldsProps) {
  const type = TYPE_CHOICES.find(({ value }) => value === form.values.task_type)?.value ?? 'manual'
  const repeats = form.values.task_repetition_interval.trim() !== ''
  return (
    <Section title="Repetition and exceptions">
      {isTimed(type) && type !== 'cron' && (
        <div className={classes.pair}>
          <TimePeriod
            form={form}
            name="task_repetition_interval"
            label="Repeat every"
            placeholder="15m"
            description="Optional: a number and s, m, h or d"
          />
          <TimePeriod
            form={form}
            name="task_repetition_duration"
            label="Repeat for"
            placeholder="1h"
            description="From each start"
            disabled={!repeats}
          />
        </div>
      )}
      {repeats && isTimed(type) && type !== 'cron' && (
        <Checkbox
          label="Stop running repetitions at the end"
          {...form.getInputProps('stop_task_at_duration_end', { type: 'checkbox' })}
        />
      )}
      <div className={classes.pair}>
        {isTimed(type) && (
          <TimePeriod
            form={form}
            name="random_task_delay"
            label="Random delay up to"
            placeholder="30m"
            description="Optional: spreads the start of many machines"
          />
        )}
        <Select
          label="If an earlier run is still active"
          description="For this task"
          data={POLICY_CHOICES}
          allowDeselect={false}
          {...form.getInputProps('task_instance_policy')}
        />
      </div>
      {isTimed(type) && (
        <Checkbox
          label="When a run was missed, run as soon as possible"
          {...form.getInputProps('run_asap_after_missed', { type: 'checkbox' })}
        />
      )}
      {isTimed(type) && agent.agent_id !== null && (
        <Checkbox
          label="Delete the task after its last run"
          description="Within hours, with its runs, unless the last run failed."
          {...form.getInputProps('remove_if_not_scheduled', { type: 'checkbox' })}
        />
      )}
    </Section>
  )
}

interface TimePeriodProps extends Omit<TextInputProps, 'form'> {
  form: TaskFieldsProps['form']
  name: 'task_repetition_interval' | 'task_repetition_duration' | 'random_task_delay'
}

function TimePeriod({ form, name, ...input }: TimePeriodProps) {
  const isRefused = form.errors[name] !== undefined
  const text = form.values[name].trim()
  useEffect(() => {
    // Logs "Time Period is invalid" once per rejection, not for each key.
    if (isRefused) parseTimePeriod(text)
  }, [isRefused, text])
  return <TextInput {...input} {...form.getInputProps(name)} />
}
