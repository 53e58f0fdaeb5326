import '@mantine/core/styles/NumberInput.css'
import '@mantine/core/styles/Switch.css'
import { NumberInput, Select, Stack, Switch, TextInput } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { type CoreSettings, editCoreSettings } from '@muster/contract/api/settings'
import { whyNoVncTarget } from '@muster/rules/remote/vnc-targets'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { FormSection } from '../../app/dialogs/FormSection.tsx'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { ChangedMeanwhile } from '../../app/dialogs/RecordDialog.tsx'
import { useSaveInto } from '../../app/dialogs/use-save-into.ts'
import { call } from '../../app/api/api.ts'
import { useDashInfo, useMay, useMe } from '../../app/api/queries.ts'
import { ListField } from '../../ui/inputs/ListField.tsx'
import { checkCoreForm, type CoreForm, type NumberName, readCoreForm } from './core-form.ts'
import {
  GENERAL_FIELDS,
  HISTORY_FIELDS,
  MONITORING_FIELDS,
  RECORD_FIELDS,
  RECORDING_FIELDS,
  SERVER_FIELDS,
  type SettingField,
  VNC_FIELDS,
} from './settings-fields.ts'
import { settingsQuery } from './settings-query.ts'
import classes from './Settings.module.css'

type Form = UseFormReturnType<CoreForm>

interface CoreSectionProps {
  title: string
  /** The settings that this section saves. */
  fields: Partial<Record<keyof CoreForm, SettingField>>
  children: (form: Form) => ReactNode
}

/** Some of the server's settings, as they were when the section was opened. */
function CoreSection(props: CoreSectionProps) {
  const { data, error, isFetchedAfterMount, refetch } = useQuery({ ...settingsQuery, staleTime: 0 })
  const [opened, setOpened] = useState<CoreSettings>()
  const [reloads, setReloads] = useState(0)
  if (opened === undefined && data !== undefined && isFetchedAfterMount) setOpened(data)
  if (opened === undefined) return <LoadingState error={error} onRetry={() => void refetch()} />
  const reload = () => {
    setOpened(data)
    setReloads(reloads + 1)
  }
  return (
    <CoreFormSection
      key={reloads}
      {...props}
      settings={opened}
      onReload={data !== undefined && data.modified !== opened.modified ? reload : undefined}
      onSaved={setOpened}
    />
  )
}

interface CoreFormSectionProps extends CoreSectionProps {
  settings: CoreSettings
  /** After a conflict: restarts the form with the saved values. */
  onReload: (() => void) | undefined
  onSaved: (settings: CoreSettings) => void
}

function CoreFormSection({ title, fields, children, settings, onReload, onSaved }: CoreFormSectionProps) {
  const queryClient = useQueryClient()
  const saveInto = useSaveInto(settingsQuery.queryKey)
  const mayEdit = useMay('can_edit_core_settings')
  const form = useForm<CoreForm>({ initialValues: readCoreForm(settings), validate: checkCoreForm })
  const save = (values: CoreForm) =>
    saveInto(async () => {
      const own = Object.entries(values).filter(([name]) => Object.hasOwn(fields, name))
      // Validation has rejected empty numbers.
      const body = { ...Object.fromEntries(own), modified: settings.modified } as Partial<CoreSettings>
      const saved = await call(editCoreSettings, { body })
      queryClient.setQueryData(settingsQuery.queryKey, saved)
      onSaved(saved)
    })
  return (
    <FormSection
      title={title}
      form={form}
      save={save}
      done="Settings saved."
      readOnly={mayEdit ? undefined : 'Your role does not allow you to change these settings.'}
    >
      <fieldset className={classes.group} disabled={!mayEdit}>
        <Stack gap="lg">
          <ChangedMeanwhile what="these settings" onReload={onReload} />
          {children(form)}
        </Stack>
      </fieldset>
    </FormSection>
  )
}

interface GroupProps {
  title: string
  note?: string
  disabled?: boolean
  children: ReactNode
}

/** Settings that belong together, with a heading. */
function Group({ title, note, disabled = false, children }: GroupProps) {
  return (
    <fieldset className={classes.group} disabled={disabled}>
      <legend className={classes.legend}>{title}</legend>
      {note !== undefined && <p className={classes.note}>{note}</p>}
      {children}
    </fieldset>
  )
}

/** Company, sign-in, and what runs on the server itself. */
export function GeneralSection() {
  const isSuperuser = useMe()?.is_superuser === true
  const isHosted = useDashInfo()?.hosted !== false
  return (
    <CoreSection title="General" fields={isHosted ? GENERAL_FIELDS : { ...GENERAL_FIELDS, ...SERVER_FIELDS }}>
      {(form) => (
        <>
          <TextInput {...GENERAL_FIELDS.companyname} maxLength={255} {...form.getInputProps('companyname')} />
          <div className={classes.fields}>
            <NumberField
              form={form}
              name="password_min_length"
              field={GENERAL_FIELDS.password_min_length}
              suffix=" characters"
            />
          </div>
          <Group title="Sign-in" disabled={!isSuperuser}>
            <Switch
              {...GENERAL_FIELDS.block_local_user_logon}
              {...form.getInputProps('block_local_user_logon', { type: 'checkbox' })}
            />
          </Group>
          {!isHosted && (
            <Group
              title="Server scripts and web terminal"
              note="Only superusers can change this. Use also requires the permission “Server scripts”."
              disabled={!isSuperuser}
            >
              <Switch
                {...SERVER_FIELDS.enable_server_scripts}
                {...form.getInputProps('enable_server_scripts', { type: 'checkbox' })}
              />
              <Switch
                mt="sm"
                {...SERVER_FIELDS.enable_server_webterminal}
                {...form.getInputProps('enable_server_webterminal', { type: 'checkbox' })}
              />
            </Group>
          )}
        </>
      )}
    </CoreSection>
  )
}

/** Default alerts of overdue machines, and how often machines measure themselves. */
export function MonitoringSection() {
  return (
    <CoreSection title="Monitoring" fields={MONITORING_FIELDS}>
      {(form) => (
        <>
          <Switch
            {...MONITORING_FIELDS.availability_alerts_servers}
            {...form.getInputProps('availability_alerts_servers', { type: 'checkbox' })}
          />
          <Switch
            {...MONITORING_FIELDS.availability_alerts_workstations}
            {...form.getInputProps('availability_alerts_workstations', { type: 'checkbox' })}
          />
          <div className={classes.fields}>
            <NumberField
              form={form}
              name="metrics_interval"
              field={MONITORING_FIELDS.metrics_interval}
              suffix=" s"
            />
          </div>
        </>
      )}
    </CoreSection>
  )
}

const HISTORY_NAMES = ['check_history_prune_days', 'check_history_5min_prune_days', 'check_history_hourly_prune_days'] as const // prettier-ignore
const RECORD_NAMES = [
  'agent_history_prune_days',
  'resolved_alerts_prune_days',
  'audit_log_prune_days',
] as const

/** How long measurements and records are kept. */
export function RetentionSection() {
  return (
    <CoreSection title="Retention" fields={{ ...HISTORY_FIELDS, ...RECORD_FIELDS }}>
      {(form) => (
        <>
          <Group
            title="History"
            note="Measurements of checks and machines. Shorter times delete older data for good."
          >
            <div className={classes.fields}>
              {HISTORY_NAMES.map((name) => (
                <NumberField key={name} form={form} name={name} field={HISTORY_FIELDS[name]} suffix=" days" />
              ))}
            </div>
          </Group>
          <Group title="Records" note="Older records are deleted. Leave a field empty to keep them forever.">
            <div className={classes.fields}>
              {RECORD_NAMES.map((name) => (
                <NumberField
                  key={name}
                  form={form}
                  name={name}
                  field={RECORD_FIELDS[name]}
                  suffix=" days"
                  placeholder="Keep forever"
                  isEmptyZero
                />
              ))}
            </div>
          </Group>
        </>
      )}
    </CoreSection>
  )
}

/** Recording of terminals and desktops: which, maximum size, retention. */
export function RecordingsSection() {
  return (
    <CoreSection title="Recordings" fields={RECORDING_FIELDS}>
      {(form) => (
        <>
          <p className={classes.note}>
            Recordings are encrypted and contain no keys; technicians are informed. Remote access of a client,
            a site or a machine can override this. A shorter time deletes older recordings.
          </p>
          <div className={classes.pairs}>
            <Select
              {...RECORDING_FIELDS.record_terminals}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              allowDeselect={false}
              data={[
                { value: 'servers', label: 'Servers' },
                { value: 'all', label: 'All machines' },
                { value: 'none', label: 'None' },
              ]}
              {...form.getInputProps('record_terminals')}
            />
            <NumberField
              form={form}
              name="recording_keep_days"
              field={RECORDING_FIELDS.recording_keep_days}
              suffix=" days"
            />
            <NumberField
              form={form}
              name="recording_max_mb"
              field={RECORDING_FIELDS.recording_max_mb}
              suffix=" MB"
            />
            <NumberField
              form={form}
              name="desktop_recording_max_mb"
              field={RECORDING_FIELDS.desktop_recording_max_mb}
              suffix=" MB"
            />
          </div>
        </>
      )}
    </CoreSection>
  )
}

/** VNC servers that machines may connect to. */
export function VncSection() {
  return (
    <CoreSection title="VNC from machines" fields={VNC_FIELDS}>
      {(form) => (
        <>
          <p className={classes.note}>
            Allowed VNC targets, as seen from each machine: localhost is the machine itself. Enter names,
            addresses, networks such as 10.0.0.0/8, or *. Applies to new windows.
          </p>
          <ListField
            {...VNC_FIELDS.vnc_targets}
            noun="target"
            placeholder="10.0.0.0/8:5900-5999"
            values={form.values.vnc_targets}
            onChange={(values) => form.setFieldValue('vnc_targets', values)}
            path="vnc_targets"
            check={(line) => whyNoVncTarget(line) ?? null}
          />
        </>
      )}
    </CoreSection>
  )
}

interface NumberFieldProps {
  form: Form
  name: NumberName
  field: SettingField
  suffix: string
  placeholder?: string
  /** An empty field is 0. */
  isEmptyZero?: boolean
}

function NumberField({ form, name, field, suffix, placeholder, isEmptyZero = false }: NumberFieldProps) {
  const { value, ...input } = form.getInputProps(name)
  return (
    <NumberInput
      {...field}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      suffix={suffix}
      {...(placeholder === undefined ? {} : { placeholder })}
      clampBehavior="none"
      allowDecimal={false}
      allowNegative={false}
      {...input}
      value={isEmptyZero && value === 0 ? '' : value}
      onChange={(next) => form.setFieldValue(name, next === '' ? (isEmptyZero ? 0 : '') : Number(next))}
      // A change of another field may be the cause.
      error={checkCoreForm(form.values)[name] ?? form.errors[name]}
    />
  )
}
