import '@mantine/core/styles/Switch.css'
import { Checkbox, Group, Select, Switch, TextInput } from '@mantine/core'
import { platformName } from '@muster/rules/agents/available-actions'
import { type ReactNode, useId } from 'react'
import type { UseFormReturnType } from '@mantine/form'
import type { AgentDetail } from '@muster/contract/api/agents'
import { Platform } from '@muster/contract/fields'
import type { TaskForm } from '../task-form.ts'
import classes from './TaskFields.module.css'

const SEVERITIES = [
  { value: 'info', label: 'Info' },
  { value: 'warning', label: 'Warning' },
  { value: 'error', label: 'Error' },
]

export function GeneralFields({ agent, form }: TaskFieldsProps) {
  return (
    <Section title="Task">
      <div className={classes.pair}>
        <TextInput
          label="Name"
          maxLength={255}
          autoComplete="off"
          dir="auto"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Select
          label="Alert when a run fails"
          data={SEVERITIES}
          allowDeselect={false}
          {...form.getInputProps('alert_severity')}
        />
      </div>
      {agent.agent_id === null && (
        <Checkbox.Group label="On machines with" {...form.getInputProps('task_supported_platforms')}>
          <Group gap="sm" mt="xs">
            {ALL_PLATFORMS.map((platform) => (
              <Checkbox key={platform} value={platform} label={platformName(platform)} size="xs" />
            ))}
          </Group>
        </Checkbox.Group>
      )}
      <Switch label="Enabled" {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </Section>
  )
}

/** A part of the form, with its heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="stack">
      <h3 id={id} className={classes.title}>
        {title}
      </h3>
      {children}
    </section>
  )
}

export interface TaskFieldsProps {
  agent: TaskTarget
  form: UseFormReturnType<TaskForm>
}

/** The target of a task: a machine, or the unknown machines of a policy. */
export type TaskTarget =
  | Pick<AgentDetail, 'agent_id' | 'hostname' | 'plat' | 'timezone'>
  | {
      agent_id: null
      hostname: string
      plat: null
      timezone: string
      /** Checks of the policy whose failure may start a task. */
      checks: readonly { value: string; label: string }[]
    }

export const ALL_PLATFORMS: string[] = [...Platform.options]

export function policyTaskTarget(checks: readonly { value: string; label: string }[]): TaskTarget {
  return { agent_id: null, hostname: 'each machine', plat: null, timezone: 'UTC', checks }
}
