import { Checkbox, NumberInput, Select, TextInput } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import { listScripts } from '@muster/contract/api/scripts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { query } from '../../app/api/api.ts'
import { groupScripts } from '../runs/run-form.ts'
import { ArgumentsField } from '../scripts/ScriptFieldset.tsx'
import { findWaveProblem, hasMoreLimits, isStaged, type JobForm, MAX_WAVES } from './job-form.ts'
import classes from './Jobs.module.css'

interface FieldsProps {
  form: JobForm
  onChange: (values: Partial<JobForm>) => void
}

/** Waves of a job, what must hold between them, and its limits. */
export function RolloutFields({ form, onChange }: FieldsProps) {
  return (
    <>
      <WaveFields form={form} onChange={onChange} />
      <div className={classes.row}>
        <NumberInput
          label="Halt at"
          placeholder="Never"
          suffix=" failures"
          min={1}
          value={form.haltAt}
          onChange={(haltAt) => onChange({ haltAt })}
        />
        <NumberInput
          label="At once"
          placeholder="No limit"
          suffix=" machines"
          min={1}
          value={form.maxAtOnce}
          onChange={(maxAtOnce) => onChange({ maxAtOnce })}
        />
      </div>
      <MoreLimits form={form} onChange={onChange} />
    </>
  )
}

const NAMES = ['First', 'Second', 'Third']

/** The waves that have a size, and one more. */
function WaveFields({ form, onChange }: FieldsProps) {
  const shown = [...form.waves, ''].slice(0, MAX_WAVES)
  const setWave = (index: number, size: string) => {
    const waves = shown.with(index, size)
    // Empty waves at the end are the field for one more.
    while (waves.at(-1) === '') waves.pop()
    onChange({ waves })
  }
  return (
    <>
      <div className={classes.row}>
        {shown.map((size, index) => (
          <TextInput
            // A wave has no other identity than its position.
            key={index}
            label={`${NAMES[index] ?? `${index + 1}th`} wave`}
            description={index === 0 ? 'Machines, or a share such as 10 %' : undefined}
            placeholder={index === 0 ? 'All machines at once' : 'The rest'}
            maxLength={12}
            value={size}
            error={findWaveProblem(form.waves, index)}
            onChange={({ currentTarget }) => setWave(index, currentTarget.value)}
            autoComplete="off"
          />
        ))}
      </div>
      {isStaged(form) && (
        <>
          <div className={classes.row}>
            <NumberInput
              label="Pause between waves"
              placeholder="No pause"
              suffix=" min"
              min={1}
              max={10_080}
              value={form.pauseMinutes}
              onChange={(pauseMinutes) => onChange({ pauseMinutes })}
            />
            <NumberInput
              label="Watch each wave for"
              placeholder="As long as the pause"
              suffix=" min"
              min={1}
              max={10_080}
              value={form.watchMinutes}
              onChange={(watchMinutes) => onChange({ watchMinutes })}
            />
          </div>
          <Checkbox
            label="Halt if a new alert opens on these machines"
            checked={form.noNewAlerts}
            onChange={({ currentTarget }) => onChange({ noNewAlerts: currentTarget.checked })}
          />
        </>
      )}
    </>
  )
}

function MoreLimits({ form, onChange }: FieldsProps) {
  const [isOpen, setOpen] = useState(() => hasMoreLimits(form))
  return (
    <details
      className={classes.moreLimits}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>More limits</summary>
      {isOpen && (
        <div className="stack">
          {isStaged(form) && (
            <div className={classes.row}>
              <NumberInput
                label="Required success"
                description="Share of each wave"
                placeholder="Any"
                suffix=" %"
                min={1}
                max={100}
                value={form.successPercent}
                onChange={(successPercent) => onChange({ successPercent })}
              />
              <TextInput
                label="Check that must pass"
                description="A part of its name, on each machine of the wave"
                placeholder="No check"
                maxLength={255}
                value={form.check}
                onChange={({ currentTarget }) => onChange({ check: currentTarget.value })}
                autoComplete="off"
              />
            </div>
          )}
          <div className={classes.row}>
            <NumberInput
              label="Halt at share of a wave"
              placeholder="Never"
              suffix=" % failed"
              min={1}
              max={100}
              value={form.haltAtPercent}
              onChange={(haltAtPercent) => onChange({ haltAtPercent })}
            />
            <NumberInput
              label="At once per site"
              placeholder="No limit"
              suffix=" machines"
              min={1}
              value={form.maxPerSite}
              onChange={(maxPerSite) => onChange({ maxPerSite })}
            />
            <NumberInput
              label="Starts per minute"
              placeholder="No limit"
              suffix=" machines"
              min={1}
              value={form.maxPerMinute}
              onChange={(maxPerMinute) => onChange({ maxPerMinute })}
            />
          </div>
          <RollbackFields form={form} onChange={onChange} />
        </div>
      )}
    </details>
  )
}

function RollbackFields({ form, onChange }: FieldsProps) {
  const { data: scripts = [] } = useQuery(query(listScripts, { query: {} }))
  const script = scripts.find(({ id }) => `${id}` === form.rollback)
  return (
    <>
      <Select
        label="Rollback script"
        description="Undo runs it on the changed machines. Nothing runs automatically."
        placeholder="No script"
        data={groupScripts(scripts)}
        searchable
        clearable
        nothingFoundMessage="No script matches."
        value={form.rollback}
        onChange={(rollback) =>
          onChange({ rollback, rollbackArgs: scripts.find(({ id }) => `${id}` === rollback)?.args })
        }
      />
      {script !== undefined && (
        <ArgumentsField
          description={script.syntax}
          values={form.rollbackArgs ?? script.args}
          onChange={(rollbackArgs) => onChange({ rollbackArgs })}
        />
      )}
    </>
  )
}
