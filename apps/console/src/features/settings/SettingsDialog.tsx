import '@mantine/core/styles/NumberInput.css'
import '@mantine/core/styles/Switch.css'
import { NumberInput, Select, Stack, Switch, TextInput } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { type CoreSettings, editCoreSettings } from '@muster/contract/api/settings'
import { MetricsInterval } from '@muster/contract/agent/metrics'
import { findRetentionProblems, MAX_DAYS, type Retention } from '@muster/rules/schedules/retention'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { whyNoVncTarget } from '@muster/rules/remote/vnc-targets'
import { ChangedMeanwhile } from '../../app/dialogs/RecordDialog.tsx'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { useSaveInto } from '../../app/dialogs/use-save-into.ts'
import { GuardedDialog, StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { call } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { useDashInfo, useMay, useMe } from '../../app/api/queries.ts'
import { settingsQuery } from './settings-query.ts'
import { ListField } from '../../ui/inputs/ListField.tsx'
import { checkRecords, type NumberName, type Numbers, RecordFields, type Values } from './RecordFields.tsx'
import classes from './SettingsDialog.module.css'

const TITLE = 'Global settings'
const FIELDS: { name: keyof Retention; label: string; description: string }[] = [
  {
    name: 'check_history_prune_days',
    label: 'Raw data',
    description: 'Every single measurement',
  },
  {
    name: 'check_history_5min_prune_days',
    label: '5-minute averages',
    description: 'Minimum, average and maximum per 5 minutes',
  },
  {
    name: 'check_history_hourly_prune_days',
    label: 'Hourly averages',
    description: 'Minimum, average and maximum per hour. Older data is deleted.',
  },
]

/** Settings of the whole server. */
export function SettingsDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_view_core_settings" onClose={close}>
      <LoadedSettings onClose={close} />
    </GuardedDialog>
  )
}

function LoadedSettings({ onClose }: { onClose: () => void }) {
  const { data, error, isFetchedAfterMount, refetch } = useQuery({ ...settingsQuery, staleTime: 0 })
  const [opened, setOpened] = useState<CoreSettings>()
  if (opened === undefined && data !== undefined && isFetchedAfterMount) setOpened(data)
  if (opened === undefined)
    return <StateDialog title={TITLE} onClose={onClose} error={error} onRetry={() => void refetch()} />
  const isOld = data !== undefined && data.modified !== opened.modified
  return (
    <SettingsForm
      key={opened.modified}
      settings={opened}
      onReload={isOld ? () => setOpened(data) : undefined}
      onClose={onClose}
    />
  )
}

interface SettingsFormProps {
  /** The settings as they were when the form was opened. */
  settings: CoreSettings
  /** After a conflict: restarts the form with the saved values. */
  onReload: (() => void) | undefined
  onClose: () => void
}

function SettingsForm({ settings, onReload, onClose }: SettingsFormProps) {
  const saveInto = useSaveInto(settingsQuery.queryKey)
  const mayEdit = useMay('can_edit_core_settings')
  const isSuperuser = useMe()?.is_superuser === true
  const isHosted = useDashInfo()?.hosted !== false
  // Defaults of policies and alert templates are changed on their own screens.
  const {
    modified,
    server_policy: _server,
    workstation_policy: _workstation,
    alert_template: _template,
    ...initialValues
  } = settings
  const form = useForm<Values>({
    initialValues,
    validate: (values) => ({ ...checkNumbers(values), ...checkVncTargets(values.vnc_targets) }),
  })
  // A change of one field may cause the error of the next one.
  const wrong = checkNumbers(form.values)
  const save = async (values: Values) => {
    await saveInto(async () => {
      // Validation has rejected empty ones.
      await call(editCoreSettings, { body: { ...(values as Numbers), modified } })
    })
  }
  return (
    <FormDialog title={TITLE} form={form} save={save} done="Settings saved." onClose={onClose}>
      <Stack gap="md">
        <ChangedMeanwhile what="these settings" onReload={onReload} />
        <fieldset className={classes.group} disabled={!mayEdit}>
          <legend className={classes.legend}>Availability alerts</legend>
          <p className={classes.note}>
            Open an alert when a machine is overdue. Policies and machines can override the default.
          </p>
          <Switch
            label="Servers"
            {...form.getInputProps('availability_alerts_servers', { type: 'checkbox' })}
          />
          <Switch
            mt="xs"
            label="Workstations"
            {...form.getInputProps('availability_alerts_workstations', { type: 'checkbox' })}
          />
        </fieldset>
        <fieldset className={classes.group} disabled={!mayEdit}>
          <legend className={classes.legend}>History retention</legend>
          <p className={classes.note}>
            Measurements of checks and machines. Shorter times delete older data for good.
          </p>
          <div className={classes.fields}>
            {FIELDS.map(({ name, label, description }, index) => (
              <NumberInput
                key={name}
                label={label}
                description={description}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                suffix=" days"
                min={1}
                max={MAX_DAYS}
                clampBehavior="none"
                allowDecimal={false}
                allowNegative={false}
                data-autofocus={(index === 0 && mayEdit) || undefined}
                {...form.getInputProps(name)}
                error={wrong[name] ?? form.errors[name]}
              />
            ))}
          </div>
        </fieldset>
        <RecordFields form={form} wrong={wrong} disabled={!mayEdit} />
        <fieldset className={classes.group} disabled={!mayEdit}>
          <legend className={classes.legend}>Metrics</legend>
          <div className={classes.fields}>
            <NumberInput
              label="Metrics interval"
              description="Processor, memory, disks and network. Every second while viewed live."
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              suffix=" s"
              clampBehavior="none"
              allowDecimal={false}
              allowNegative={false}
              {...form.getInputProps('metrics_interval')}
              error={wrong.metrics_interval ?? form.errors.metrics_interval}
            />
          </div>
        </fieldset>
        <fieldset className={classes.group} disabled={!mayEdit}>
          <legend className={classes.legend}>Your company</legend>
          <TextInput
            aria-label="Your company"
            description="Shown with your name at machines when you open remote tools"
            maxLength={255}
            {...form.getInputProps('companyname')}
          />
        </fieldset>
        <RecordingFields form={form} wrong={wrong} disabled={!mayEdit} />
        <VncFields form={form} disabled={!mayEdit} />
        <fieldset className={classes.group} disabled={!isSuperuser}>
          <legend className={classes.legend}>Sign-in</legend>
          <Switch
            label="Password sign-in for superusers only"
            {...form.getInputProps('block_local_user_logon', { type: 'checkbox' })}
          />
        </fieldset>
        {!isHosted && (
          <fieldset className={classes.group} disabled={!isSuperuser}>
            <legend className={classes.legend}>Server scripts and web terminal</legend>
            <p className={classes.note}>
              Scripts of alert templates and script tests run as the user of the server. Only superusers can
              change this. Use also requires the permission “Run and approve scripts on the server”.
            </p>
            <Switch
              label="Scripts on the server"
              {...form.getInputProps('enable_server_scripts', { type: 'checkbox' })}
            />
            <Switch
              mt="xs"
              label="Web terminal"
              description="A recorded shell on the server, for superusers"
              {...form.getInputProps('enable_server_webterminal', { type: 'checkbox' })}
            />
          </fieldset>
        )}
        {!mayEdit && <p className={classes.note}>Your role does not allow you to change these settings.</p>}
      </Stack>
    </FormDialog>
  )
}

function checkNumbers(values: Values): Partial<Record<NumberName, string>> {
  const isPaced = MetricsInterval.safeParse(values.metrics_interval).success
  return {
    ...checkDays(values),
    ...checkRecords(values),
    ...checkRecordings(values),
    ...(isPaced ? {} : { metrics_interval: 'Enter 10 to 3600 seconds.' }),
  }
}

function checkDays(values: Values): Partial<Record<keyof Retention, string>> {
  const days = FIELDS.map(({ name }) => [name, values[name]] as const)
  const wrong = days.filter(([, many]) => many === '' || many < 1 || many > MAX_DAYS)
  if (wrong.length > 0) {
    return Object.fromEntries(wrong.map(([name]) => [name, `Enter 1 to ${MAX_DAYS} days.`]))
  }
  // None is empty: see above.
  return findRetentionProblems(values as Retention)
}

/** VNC servers that machines may connect to. */
function VncFields({ form, disabled }: { form: UseFormReturnType<Values>; disabled: boolean }) {
  return (
    <fieldset className={classes.group} disabled={disabled}>
      <legend className={classes.legend}>VNC from machines</legend>
      <p className={classes.note}>
        Allowed VNC targets, as seen from each machine: localhost is the machine itself. Enter names,
        addresses, networks such as 10.0.0.0/8, or *. Applies to new windows.
      </p>
      <ListField
        label="Allowed targets"
        noun="target"
        placeholder="10.0.0.0/8:5900-5999"
        values={form.values.vnc_targets}
        onChange={(values) => form.setFieldValue('vnc_targets', values)}
        check={(line) => whyNoVncTarget(line) ?? null}
      />
    </fieldset>
  )
}

const checkVncTargets = (lines: readonly string[]) =>
  lines.some((line) => whyNoVncTarget(line) !== undefined)
    ? { vnc_targets: 'One of these targets is invalid.' }
    : {}

const MAX_MEGABYTES = { recording_max_mb: 1000, desktop_recording_max_mb: 2000 }

type SizeName = keyof typeof MAX_MEGABYTES
type RecordingNumber = 'recording_keep_days' | SizeName

interface RecordingFieldsProps {
  form: UseFormReturnType<Values>
  wrong: Partial<Record<RecordingNumber, string>>
  disabled: boolean
}

/** Recording of terminals and desktops: which, maximum size, retention. */
function RecordingFields({ form, wrong, disabled }: RecordingFieldsProps) {
  const number = (name: RecordingNumber, label: string, description: string) => (
    <NumberInput
      label={label}
      description={description}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      suffix={name === 'recording_keep_days' ? ' days' : ' MB'}
      clampBehavior="none"
      allowDecimal={false}
      allowNegative={false}
      {...form.getInputProps(name)}
      error={wrong[name] ?? form.errors[name]}
    />
  )
  return (
    <fieldset className={classes.group} disabled={disabled}>
      <legend className={classes.legend}>Recordings</legend>
      <p className={classes.note}>
        Recordings are encrypted and contain no keys; technicians are informed. Remote access of a client, a
        site or a machine can override this. A shorter time deletes older recordings.
      </p>
      <div className={classes.pairs}>
        <Select
          label="Record terminals on"
          description="Servers are machines of the type “Server”."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          allowDeselect={false}
          data={[
            { value: 'servers', label: 'Servers' },
            { value: 'all', label: 'All machines' },
            { value: 'none', label: 'None' },
          ]}
          {...form.getInputProps('record_terminals')}
        />
        {number('recording_keep_days', 'Keep recordings for', 'Counted from the start of the session')}
        {number(
          'recording_max_mb',
          'Max. size per terminal',
          'The recording stops there; the terminal continues.',
        )}
        {number('desktop_recording_max_mb', 'Max. size per desktop', 'The desktop session continues.')}
      </div>
    </fieldset>
  )
}

function checkRecordings(values: Pick<Values, RecordingNumber>): Partial<Record<RecordingNumber, string>> {
  const isWithin = (value: number | '', most: number) => value !== '' && value >= 1 && value <= most
  const size = (name: SizeName) =>
    isWithin(values[name], MAX_MEGABYTES[name]) ? {} : { [name]: `Enter 1 to ${MAX_MEGABYTES[name]} MB.` }
  return {
    ...(isWithin(values.recording_keep_days, MAX_DAYS)
      ? {}
      : { recording_keep_days: `Enter 1 to ${MAX_DAYS} days.` }),
    ...size('recording_max_mb'),
    ...size('desktop_recording_max_mb'),
  }
}
