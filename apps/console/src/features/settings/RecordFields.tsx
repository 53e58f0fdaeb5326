import '@mantine/core/styles/NumberInput.css'
import { NumberInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { MAX_DAYS, type RecordRetention, type Retention } from '@muster/rules/schedules/retention'
import type { CoreSettings } from '@muster/contract/api/settings'
import classes from './SettingsDialog.module.css'

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

export type Numbers = Values & Record<NumberName, number>
export type NumberName =
  | keyof Retention
  | keyof RecordRetention
  | 'metrics_interval'
  | 'recording_keep_days'
  | 'recording_max_mb'
  | 'desktop_recording_max_mb'
/** An emptied field holds ''. */
export type Values = Record<NumberName, number | ''> &
  Pick<
    CoreSettings,
    | 'enable_server_scripts'
    | 'enable_server_webterminal'
    | 'block_local_user_logon'
    | 'record_terminals'
    | 'vnc_targets'
    | 'companyname'
    | 'availability_alerts_servers'
    | 'availability_alerts_workstations'
    | 'availability_alerts_asked'
  >
