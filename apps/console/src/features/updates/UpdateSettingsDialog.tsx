import '@mantine/core/styles/Alert.css'
import '@mantine/core/styles/NumberInput.css'
import { Alert, Button, NumberInput, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import {
  getRollout,
  getUpdateSettings,
  resumeRollout,
  type Rollout,
  setUpdateSettings,
  type TargetUpdateSettings,
  UpdateMode,
} from '@muster/contract/api/updates'
import { isAgentVersion } from '@muster/rules/agents/agent-version'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, query } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import { FormDialog, FormError } from '../../app/dialogs/FormDialog.tsx'
import { FormSection } from '../../app/dialogs/FormSection.tsx'
import { GuardedDialog, LoadingState, StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { UPDATE_FIELDS } from './update-labels.ts'
import classes from './UpdateAgentsDialog.module.css'

const TITLE = 'Agent updates'
const INHERIT = 'inherit'
const rolloutQuery = query(getRollout, {})
const MODES: Record<UpdateMode, string> = {
  automatic: 'Automatic, in waves',
  paused: 'Paused',
  pinned: 'Pinned to a version',
}

type Params = { level: 'default' | 'client' | 'site' | 'agent'; id: string }

/** How agents of a client, a site or a machine are updated: `client-3`, `site-2`, `agent-ABC`. */
export function UpdateSettingsDialog({ item = '', close }: AddressedDialogProps) {
  const dash = item.indexOf('-')
  // The server rejects other levels.
  const params = { level: item.slice(0, dash) as Params['level'], id: item.slice(dash + 1) }
  return (
    <GuardedDialog title={TITLE} needs="can_update_agents" onClose={close}>
      <LoadSettings params={params} close={close} />
    </GuardedDialog>
  )
}

/** How agents of all machines are updated, in the settings. */
export function UpdateSettingsSection() {
  return <LoadSettings params={{ level: 'default', id: 'all' }} close={undefined} />
}

function LoadSettings({ params, close }: Pick<SettingsFormProps, 'params' | 'close'>) {
  const options = query(getUpdateSettings, { params })
  const { data, error, refetch } = useQuery({ ...options, staleTime: 0, gcTime: 0 })
  if (data === undefined) {
    const retry = () => void refetch()
    if (close === undefined) return <LoadingState error={error} onRetry={retry} />
    return <StateDialog title={TITLE} onClose={close} error={error} onRetry={retry} />
  }
  return (
    <SettingsForm
      key={data.modified}
      params={params}
      target={data}
      close={close}
      reload={async () => void (await refetch())}
    />
  )
}

interface SettingsFormProps {
  params: Params
  target: TargetUpdateSettings
  /** Absent in the settings, where the form stays. */
  close: (() => void) | undefined
  reload: () => Promise<void>
}

interface Values extends Record<string, unknown> {
  mode: string
  version: string
  waves: string
  max_rollbacks: number | string
}

function SettingsForm({ params, target, close, reload }: SettingsFormProps) {
  const { name, settings, inherited, modified } = target
  const isTop = params.level === 'default'
  const hasWaves = params.level !== 'agent'
  const mayView = useMay('can_view_core_settings')
  const form = useForm<Values>({
    initialValues: {
      mode: settings.mode ?? (isTop ? inherited.mode : INHERIT),
      version: settings.version ?? '',
      waves: (settings.waves ?? (isTop ? inherited.waves : [])).join(', '),
      max_rollbacks: settings.max_rollbacks ?? inherited.max_rollbacks,
    },
    validate: {
      version: (version, { mode }) =>
        mode === 'pinned' && !isAgentVersion(version) ? 'Enter a version, such as 1.4.0.' : null,
      waves: (waves) =>
        (isTop || waves.trim() !== '') && readWaves(waves) === undefined ? WRONG_WAVES : null,
      max_rollbacks: (count) => (count === '' ? 'Enter a number from 0.' : null),
    },
    validateInputOnChange: true,
  })
  const save = ({ mode, version, waves, max_rollbacks }: Values) =>
    call(setUpdateSettings, {
      params,
      body: {
        mode: mode === INHERIT ? null : UpdateMode.parse(mode),
        version: mode === 'pinned' ? version : null,
        waves: readWaves(waves) ?? null,
        max_rollbacks: isTop ? Number(max_rollbacks) : null,
        modified,
      },
    })
  const choices = Object.entries(MODES).map(([value, label]) => ({ value, label }))
  const inherit = { value: INHERIT, label: `Inherited: ${MODES[inherited.mode].toLowerCase()}` }
  const fields = (
    <Stack gap="md">
      {isTop && mayView && <RolloutState />}
      <Select
        {...UPDATE_FIELDS.mode}
        data={isTop ? choices : [inherit, ...choices]}
        allowDeselect={false}
        data-autofocus
        {...form.getInputProps('mode')}
      />
      {form.values.mode === 'pinned' && (
        <TextInput {...UPDATE_FIELDS.version} placeholder="1.4.0" {...form.getInputProps('version')} />
      )}
      {hasWaves && (
        <TextInput
          {...UPDATE_FIELDS.waves}
          placeholder={`Inherited: ${inherited.waves.join(', ')}`}
          {...form.getInputProps('waves')}
        />
      )}
      {isTop && (
        <NumberInput
          {...UPDATE_FIELDS.max_rollbacks}
          min={0}
          max={10_000}
          allowDecimal={false}
          {...form.getInputProps('max_rollbacks')}
        />
      )}
    </Stack>
  )
  const done = 'Update settings saved.'
  if (close !== undefined) {
    return (
      <FormDialog title={`Agent updates of ${name}`} form={form} save={save} done={done} onClose={close}>
        {fields}
      </FormDialog>
    )
  }
  const saveAndReload = async (values: Values) => {
    await save(values)
    await reload()
  }
  return (
    <FormSection title={TITLE} form={form} save={saveAndReload} done={done}>
      {fields}
    </FormSection>
  )
}

const WRONG_WAVES = 'Enter growing percentages that end with 100, such as 1, 10, 100.'

function readWaves(text: string): number[] | undefined {
  const waves = text.split(',').map((part) => Number(part.trim() === '' ? Number.NaN : part))
  const isGrowing = waves.every((share, i) => share > (waves[i - 1] ?? 0))
  return isGrowing && waves.at(-1) === 100 && waves.length <= 10 ? waves : undefined
}

/** How far the update of all machines is. One that is halted, or held at a client, can be resumed. */
function RolloutState() {
  const { data } = useQuery(rolloutQuery)
  const mayResume = useMay('can_edit_core_settings')
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call(resumeRollout, {}),
    meta: { errorsShown: true },
    onSuccess: (rollout) => queryClient.setQueryData(rolloutQuery.queryKey, rollout),
  })
  if (data === undefined || data.version === null) return null
  if (data.reason === null || data.state === 'off')
    return <p className={classes.counts}>{describeRollout(data)}</p>
  return (
    <Alert
      color="warning"
      title={`The update to ${data.version} is ${data.state === 'halted' ? 'halted' : 'held for some machines'}`}
    >
      {error !== null && <FormError error={error} />}
      <p className={classes.counts}>
        {data.reason} {describeRollout(data)}
      </p>
      {mayResume && (
        <Button size="xs" variant="default" loading={isPending} onClick={() => mutate()}>
          Resume update
        </Button>
      )}
    </Alert>
  )
}

function describeRollout({ version, state, wave, waves, counts }: Rollout): string {
  if (counts.total === 0) return `No machine can update itself to version ${version} yet.`
  const parts = [`${counts.confirmed} of ${counts.total} machines confirmed version ${version}`]
  if (counts.in_progress > 0) parts.push(`${counts.in_progress} in progress`)
  if (counts.failed > 0) parts.push(`${counts.failed} failed`)
  if (counts.rolled_back > 0) parts.push(`${counts.rolled_back} rolled back`)
  const now = state === 'running' ? ` Wave ${wave + 1} of ${waves.length}.` : ''
  return `${parts.join(', ')}.${now}`
}
