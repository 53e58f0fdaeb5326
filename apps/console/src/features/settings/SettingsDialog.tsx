import '@mantine/core/styles/NumberInput.css'
import '@mantine/core/styles/Switch.css'
import { NumberInput, Select, Stack, Switch, TextInput } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { type CoreSettings, editCoreSettings } from '@muster/contract/api/settings'
import { MetricsInterval } from '@muster/contract/agent/metrics'
import { findShorterKept, MOST_DAYS, type Retention } from '@muster/rules/schedules/retention'
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
import { ListField } from '../../ui/inputs/ListField.tsx'
import { checkRecords, RecordFields } from './RecordFields.tsx'
import classes from './SettingsDialog.module.css'
import type { NumberName, Numbers, Values } from './settings-form.ts'
import { settingsQuery } from './settings-query.ts'

const TITLE = 'Global settings'
const FIELDS: { name: keyof Retention; label: string; description: string }[] = [
  {
    name: 'check_history_prune_days',
    label: 'Every sample',
    description: 'Graphs of so long ago show each single measurement.',
  },
  {
    name: 'check_history_5min_prune_days',
    label: 'Every five minutes',
    description: 'Least, mean and most of each five minutes.',
  },
  {
    name: 'check_history_hourly_prune_days',
    label: 'Every hour',
    description: 'Least, mean and most of each hour. Older than this, nothing is left.',
  },
]

/** What holds for the whole server. */
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
  /** As they were when the form was opened. */
  settings: CoreSettings
  /** Somebody else has saved since: begins anew with what is there now. */
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
  // A change of one field may be what is wrong with the next one.
  const wrong = checkNumbers(form.values)
  const save = async (values: Values) => {
    await saveInto(async () => {
      // Validation has refused empty ones.
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
            An alert opens when a machine is overdue. Policies and machines can override the default.
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
          <legend className={classes.legend}>How long history is kept</legend>
          <p className={classes.note}>
            What checks and machines measure. A shorter time removes what is older within minutes, for good; a
            longer one keeps more from now on.
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
                max={MOST_DAYS}
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
          <legend className={classes.legend}>What machines measure of themselves</legend>
          <div className={classes.fields}>
            <NumberInput
              label="Measured every"
              description="Processor, memory, disks and network; each second while somebody looks."
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
            description="Shown to users at machines, beside your name, when you open remote tools."
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
            <legend className={classes.legend}>What runs on the server itself</legend>
            <p className={classes.note}>
              Scripts of alert templates, and tests of scripts, run there as the user that the server runs as.
              Only a superuser may switch this; whoever makes use of it needs can_run_server_scripts.
            </p>
            <Switch
              label="Scripts on the server"
              {...form.getInputProps('enable_server_scripts', { type: 'checkbox' })}
            />
            <Switch
              mt="xs"
              label="Web terminal"
              description="A shell of the server in the console, for superusers. Each is recorded."
              {...form.getInputProps('enable_server_webterminal', { type: 'checkbox' })}
            />
          </fieldset>
        )}
        {!mayEdit && <p className={classes.note}>Your role may see these settings, and not change them.</p>}
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
    ...(isPaced ? {} : { metrics_interval: 'From 10 to 3600 seconds.' }),
  }
}

function checkDays(values: Values): Partial<Record<keyof Retention, string>> {
  const days = FIELDS.map(({ name }) => [name, values[name]] as const)
  const wrong = days.filter(([, many]) => many === '' || many < 1 || many > MOST_DAYS)
  if (wrong.length > 0) {
    return Object.fromEntries(wrong.map(([name]) => [name, `From 1 to ${MOST_DAYS} days.`]))
  }
  // None is empty: see above.
  return findShorterKept(values as Retention)
}

/** To which VNC servers machines may be asked to connect. */
function VncFields({ form, disabled }: { form: UseFormReturnType<Values>; disabled: boolean }) {
  return (
    <fieldset className={classes.group} disabled={disabled}>
      <legend className={classes.legend}>VNC from machines</legend>
      <p className={classes.note}>
        Whoever may take control opens VNC to these, as each machine sees them: localhost is the machine
        itself. A host is a name, an address, a network such as 10.0.0.0/8, or *. It holds for windows that
        are opened from now on.
      </p>
      <ListField
        label="Allowed"
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
    ? { vnc_targets: 'One of these is no target.' }
    : {}

const MOST_MEGABYTES = { recording_max_mb: 1000, desktop_recording_max_mb: 2000 }

type SizeName = keyof typeof MOST_MEGABYTES
type RecordingNumber = 'recording_keep_days' | SizeName

interface RecordingFieldsProps {
  form: UseFormReturnType<Values>
  wrong: Partial<Record<RecordingNumber, string>>
  disabled: boolean
}

/** What is recorded of terminals and desktops, up to which size, and for how long. */
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
      <legend className={classes.legend}>Recordings of terminals and desktops</legend>
      <p className={classes.note}>
        What they show is kept, encrypted; keys are not. Whoever opens one is told. Remote access of a client,
        a site or a machine says which desktops, and may say something else of terminals. A shorter time
        removes what is older, for good.
      </p>
      <div className={classes.pairs}>
        <Select
          label="Recorded terminals"
          description="Servers are the machines that are monitored as such."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          allowDeselect={false}
          data={[
            { value: 'servers', label: 'Of servers' },
            { value: 'all', label: 'Of all machines' },
            { value: 'none', label: 'Of no machine' },
          ]}
          {...form.getInputProps('record_terminals')}
        />
        {number('recording_keep_days', 'Recordings kept', 'Counted from when the window was opened.')}
        {number(
          'recording_max_mb',
          'Largest of a terminal',
          'The recording ends there, the terminal goes on.',
        )}
        {number('desktop_recording_max_mb', 'Largest of a desktop', 'Likewise: the desktop goes on.')}
      </div>
    </fieldset>
  )
}

function checkRecordings(values: Pick<Values, RecordingNumber>): Partial<Record<RecordingNumber, string>> {
  const isWithin = (value: number | '', most: number) => value !== '' && value >= 1 && value <= most
  const size = (name: SizeName) =>
    isWithin(values[name], MOST_MEGABYTES[name]) ? {} : { [name]: `From 1 to ${MOST_MEGABYTES[name]} MB.` }
  return {
    ...(isWithin(values.recording_keep_days, MOST_DAYS)
      ? {}
      : { recording_keep_days: `From 1 to ${MOST_DAYS} days.` }),
    ...size('recording_max_mb'),
    ...size('desktop_recording_max_mb'),
  }
}
