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
import { GuardedDialog, StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
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

/** How agents of a client, a site, a machine or all machines are updated: `client-3`, `site-2`, `agent-ABC`, nothing. */
export function UpdateSettingsDialog({ item = 'default-all', close }: AddressedDialogProps) {
  const dash = item.indexOf('-')
  // The server rejects other levels.
  const params = { level: item.slice(0, dash) as Params['level'], id: item.slice(dash + 1) }
  return (
    <GuardedDialog title={TITLE} needs="can_update_agents" onClose={close}>
      <LoadSettings params={params} close={close} />
    </GuardedDialog>
  )
}

function LoadSettings({ params, close }: { params: Params; close: () => void }) {
  const options = query(getUpdateSettings, { params })
  const { data, error, refetch } = useQuery({ ...options, staleTime: 0, gcTime: 0 })
  if (data === undefined)
    return <StateDialog title={TITLE} onClose={close} error={error} onRetry={() => void refetch()} />
  return <SettingsForm key={data.modified} params={params} target={data} close={close} />
}

interface SettingsFormProps {
  params: Params
  target: TargetUpdateSettings
  close: () => void
}

interface Values extends Record<string, unknown> {
  mode: string
  version: string
  waves: string
  max_rollbacks: number | string
}

function SettingsForm({ params, target, close }: SettingsFormProps) {
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
  return (
    <FormDialog
      title={`Agent updates of ${isTop ? 'all machines' : name}`}
      form={form}
      save={save}
      done="Update settings saved."
      onClose={close}
    >
      <Stack gap="md">
        {isTop && mayView && <RolloutState />}
        <Select
          label="New versions"
          description="“Update agent” works in every mode."
          data={isTop ? choices : [inherit, ...choices]}
          allowDeselect={false}
          data-autofocus
          {...form.getInputProps('mode')}
        />
        {form.values.mode === 'pinned' && (
          <TextInput
            label="Version"
            description="Other versions are not installed automatically."
            placeholder="1.4.0"
            {...form.getInputProps('version')}
          />
        )}
        {hasWaves && (
          <TextInput
            label="Waves"
            description="Percentages of the machines. A wave starts when the one before is confirmed."
            placeholder={`Inherited: ${inherited.waves.join(', ')}`}
            {...form.getInputProps('waves')}
          />
        )}
        {isTop && (
          <NumberInput
            label="Allowed rollbacks"
            description="More of them halt the update."
            min={0}
            max={10_000}
            allowDecimal={false}
            {...form.getInputProps('max_rollbacks')}
          />
        )}
      </Stack>
    </FormDialog>
  )
}

const WRONG_WAVES = 'Enter growing percentages that end with 100, such as 1, 10, 100.'

function readWaves(text: string): number[] | undefined {
  const waves = text.split(',').map((part) => Number(part.trim() === '' ? Number.NaN : part))
  const isGrowing = waves.every((share, i) => share > (waves[i - 1] ?? 0))
  return isGrowing && waves.at(-1) === 100 && waves.length <= 10 ? waves : undefined
}

/** How far the update of all machines is. A halted one can be resumed. */
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
  if (data.state !== 'halted') return <p className={classes.counts}>{describeRollout(data)}</p>
  return (
    <Alert color="warning" title={`The update to ${data.version} is halted`}>
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
