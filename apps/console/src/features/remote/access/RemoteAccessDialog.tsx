import '@mantine/core/styles/Alert.css'
import '@mantine/core/styles/NumberInput.css'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { getRemoteAccess, type PlaceRemoteAccess, setRemoteAccess } from '@muster/contract/api/remote-access'
import { useQuery } from '@tanstack/react-query'
import { Alert, Checkbox, Group, NumberInput, Select, Stack, TextInput } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { GuardedDialog, StateDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { call, query } from '../../../app/api/api.ts'
import type { AddressedDialogProps } from '../../../app/dialogs/use-dialog.ts'
import { WEEKDAYS } from '../../maintenance/schedule-words.ts'
import {
  accessChoices,
  type AccessForm,
  checkAccess,
  type PlaceLevel,
  readAccess,
  writeAccess,
} from './access-form.ts'

const TITLE = 'Remote access'
type Params = ReturnType<typeof paramsOf>

/** What a client, a site, a machine or all machines say of remote tools: `client-3`, `site-2`, `agent-ABC`, nothing. */
export function RemoteAccessDialog({ item = 'default-all', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_manage_remote_access" onClose={close}>
      <Place params={paramsOf(item)} close={close} />
    </GuardedDialog>
  )
}

function paramsOf(item: string) {
  const dash = item.indexOf('-')
  // Another level is refused by the server.
  const level = item.slice(0, dash) as PlaceLevel
  return { level, id: item.slice(dash + 1) }
}

function Place({ params, close }: { params: Params; close: () => void }) {
  const options = query(getRemoteAccess, { params })
  const { data, error, refetch } = useQuery({ ...options, staleTime: 0, gcTime: 0 })
  if (data === undefined) {
    return <StateDialog title={TITLE} onClose={close} error={error} onRetry={() => void refetch()} />
  }
  return <AccessDialog key={data.modified} params={params} access={data} close={close} />
}

interface AccessDialogProps {
  params: Params
  access: PlaceRemoteAccess
  close: () => void
}

function AccessDialog({ params, access, close }: AccessDialogProps) {
  const { name, settings, inherited, modified } = access
  const isTop = params.level === 'default'
  const form = useForm<AccessForm>({
    initialValues: readAccess(settings),
    validate: checkAccess,
    validateInputOnChange: true,
  })
  return (
    <FormDialog
      title={`Remote access to ${isTop ? 'all machines' : name}`}
      form={form}
      save={(values) => call(setRemoteAccess, { params, body: { ...writeAccess(values), modified } })}
      done="Saved. Machines follow within seconds, those that are away when they are back."
      onClose={close}
    >
      <NotEnforced access={access} level={params.level} />
      <AccessFields form={form} inherited={inherited} level={params.level} />
    </FormDialog>
  )
}

interface NotEnforcedProps {
  access: Pick<PlaceRemoteAccess, 'name' | 'not_enforced'>
  level: PlaceLevel
}

/** Which machines follow none of this, because their agents do not know it; nothing where all do. */
function NotEnforced({ access, level }: NotEnforcedProps) {
  const { count, hostnames } = access.not_enforced
  if (count === 0) return null
  const rest = count - hostnames.length
  const title =
    level === 'agent'
      ? `${access.name} does not enforce this`
      : `${count} ${count === 1 ? 'machine does' : 'machines do'} not enforce this`
  return (
    <Alert
      color="warning"
      mb="md"
      title={title}
      icon={<IconAlertTriangle size={18} stroke={1.75} aria-hidden />}
    >
      {count === 1 ? 'Its agent is' : 'Their agents are'} too old to know it: remote tools open there as
      before, at any hour, and nobody is asked. Install the agent anew
      {level === 'agent' ? '.' : ': '}
      {level !== 'agent' && (
        <bdi>
          {hostnames.join(', ')}
          {rest > 0 && ` and ${rest} more`}.
        </bdi>
      )}
    </Alert>
  )
}

const OPENS = 'Where nobody can be asked (no X11 desktop, no zenity, kdialog or xmessage), it is opened.'
/** What happens where there is nobody. */
const NOBODY: Record<string, string> = {
  off: '',
  ask: OPENS,
  ask_allow: OPENS,
  require: 'Where nobody can be asked (no X11 desktop, no zenity, kdialog or xmessage), it is not opened.',
}

interface AccessFieldsProps {
  form: UseFormReturnType<AccessForm>
  inherited: PlaceRemoteAccess['inherited']
  level: PlaceLevel
}

function AccessFields({ form, inherited, level }: AccessFieldsProps) {
  const choices = accessChoices(inherited, level)
  const isTop = level === 'default'
  const { hours } = form.values
  return (
    <Stack gap="md">
      <Select
        label="Remote tools"
        description="Terminal, desktop, files, logs, and changing processes and services. Commands and scripts are not meant."
        data={choices.forbidden}
        allowDeselect={false}
        data-autofocus
        {...form.getInputProps('forbidden')}
      />
      <Select
        label="Hours"
        description="By the clock and the time zone of each machine. What is open ends with them."
        data={choices.hours}
        allowDeselect={false}
        {...form.getInputProps('hours')}
      />
      {hours === 'hours' && (
        <>
          <Checkbox.Group label="On" {...form.getInputProps('weekdays')}>
            <Group gap="sm" mt="xs">
              {WEEKDAYS.map(({ value, label }) => (
                <Checkbox key={value} value={value} label={label} size="xs" />
              ))}
            </Group>
          </Checkbox.Group>
          <Group gap="md" grow align="flex-start">
            <TextInput type="time" label="From" {...form.getInputProps('from')} />
            <TextInput
              type="time"
              label="To"
              description={form.values.to < form.values.from ? 'Of the next day' : undefined}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              {...form.getInputProps('to')}
            />
          </Group>
        </>
      )}
      <Select
        label="Person at the machine"
        description={`Before a terminal or the desktop is opened. ${NOBODY[form.values.consent] ?? NOBODY[inherited.consent]}`}
        data={choices.consent}
        allowDeselect={false}
        {...form.getInputProps('consent')}
      />
      <NumberInput
        label="Time to answer"
        description="Seconds, from 5 to 120"
        placeholder={`${isTop ? 'Not set' : 'As above'}: ${inherited.consent_seconds}`}
        allowDecimal={false}
        clampBehavior="none"
        {...form.getInputProps('consent_seconds')}
      />
      <Select
        label="Note with the technician's name"
        description="To the person at the machine, for as long as a terminal or the desktop is open."
        data={choices.banner}
        allowDeselect={false}
        {...form.getInputProps('banner')}
      />
      <Select
        label="Reason"
        description="Whoever opens a terminal, the desktop or VNC says why. It stands with the session, in the audit log and in the question to the person at the machine."
        data={choices.ask_purpose}
        allowDeselect={false}
        {...form.getInputProps('ask_purpose')}
      />
      <Select
        label="Terminals recorded"
        description="Whoever opens one is told. Servers are the machines that are monitored as such."
        data={choices.record_terminals}
        allowDeselect={false}
        {...form.getInputProps('record_terminals')}
      />
      <Select
        label="Desktops recorded"
        description="Take Control and VNC. The person at the machine is told in the question and by a note, also where no note is wanted otherwise."
        data={choices.record_desktops}
        allowDeselect={false}
        {...form.getInputProps('record_desktops')}
      />
    </Stack>
  )
}
