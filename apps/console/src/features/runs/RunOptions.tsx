import { NumberInput, Select, Text, TextInput } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { ReactNode } from 'react'
import classes from './RunDialog.module.css'
import { type RunOptionsErrors, type RunOptionsForm, usersOf } from './run-form.ts'

const WAITS = [
  { value: '300', label: '5 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '14400', label: '4 hours' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
]

interface RunOptionsProps {
  agent: AgentDetail
  form: RunOptionsForm
  errors: RunOptionsErrors
  onChange: (change: Partial<RunOptionsForm>) => void
  /** Fields before them in the same line. */
  children?: ReactNode
}

/** Time limit, user, and how long to wait for an offline machine. */
export function RunOptions({ agent, form, errors, onChange, children }: RunOptionsProps) {
  return (
    <>
      <div className={classes.options}>
        {children}
        <NumberInput
          label="Time limit"
          suffix=" s"
          min={1}
          allowDecimal={false}
          clampBehavior="none"
          value={form.timeout}
          error={errors.timeout}
          onChange={(timeout) => onChange({ timeout })}
        />
        <Select
          label="Run as"
          data={usersOf(agent)}
          allowDeselect={false}
          value={form.runAs}
          onChange={(runAs) => runAs !== null && onChange({ runAs })}
        />
        {form.runAs === 'other' && (
          <TextInput
            label="User name"
            maxLength={64}
            autoComplete="off"
            spellCheck={false}
            value={form.userName}
            error={errors.userName}
            onChange={(event) => onChange({ userName: event.currentTarget.value })}
          />
        )}
        <Select
          label="If offline, wait"
          data={WAITS}
          allowDeselect={false}
          value={form.expiresIn}
          onChange={(expiresIn) => expiresIn !== null && onChange({ expiresIn })}
        />
      </div>
      {form.runAs === 'signedIn' && (
        <Text className="dim">Nothing runs if no user is signed in at that time.</Text>
      )}
    </>
  )
}
