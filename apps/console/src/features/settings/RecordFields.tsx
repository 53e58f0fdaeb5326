import { NumberInput } from '@mantine/core'
import '@mantine/core/styles/NumberInput.css'
import type { UseFormReturnType } from '@mantine/form'
import { MAX_DAYS, type RecordRetention } from '@muster/rules/schedules/retention'
import classes from './SettingsDialog.module.css'
import type { Values } from './settings-form.ts'

const FIELDS: { name: keyof RecordRetention; label: string; description: string }[] = [
  { name: 'agent_history_prune_days', label: 'Command history', description: 'Ended runs and their output' },
  {
    name: 'resolved_alerts_prune_days',
    label: 'Resolved alerts',
    description: 'With log and notifications',
  },
  { name: 'audit_log_prune_days', label: 'Audit log', description: 'Actions of users' },
]

interface RecordFieldsProps {
  form: UseFormReturnType<Values>
  wrong: Partial<Record<keyof RecordRetention, string>>
  disabled: boolean
}

/** Retention of runs, resolved alerts and audit entries. An empty field is 0 days: forever. */
export function RecordFields({ form, wrong, disabled }: RecordFieldsProps) {
  return (
    <fieldset className={classes.group} disabled={disabled}>
      <legend className={classes.legend}>Records</legend>
      <p className={classes.note}>Older records are deleted. Leave a field empty to keep them forever.</p>
      <div className={classes.fields}>
        {FIELDS.map(({ name, label, description }) => {
          const { value, ...input } = form.getInputProps(name)
          return (
            <NumberInput
              key={name}
              label={label}
              description={description}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              suffix=" days"
              placeholder="Keep forever"
              clampBehavior="none"
              allowDecimal={false}
              allowNegative={false}
              {...input}
              value={value === 0 ? '' : value}
              onChange={(days) => form.setFieldValue(name, days === '' ? 0 : Number(days))}
              error={wrong[name] ?? form.errors[name]}
            />
          )
        })}
      </div>
    </fieldset>
  )
}

export function checkRecords(
  values: Pick<Values, keyof RecordRetention>,
): Partial<Record<keyof RecordRetention, string>> {
  const wrong = FIELDS.filter(({ name }) => Number(values[name]) > MAX_DAYS)
  return Object.fromEntries(wrong.map(({ name }) => [name, `At most ${MAX_DAYS} days.`]))
}
