import '@mantine/core/styles/Alert.css'
import '@mantine/core/styles/NumberInput.css'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { getRemoteAccess, type TargetRemoteAccess, setRemoteAccess } from '@muster/contract/api/remote-access'
import { useQuery } from '@tanstack/react-query'
import { Alert, Checkbox, Group, NumberInput, Select, Stack, TextInput } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { GuardedDialog, StateDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { call, query } from '../../../app/api/api.ts'
import type { AddressedDialogProps } from '../../../app/dialogs/use-dialog.ts'
import { WEEKDAYS } from '../../maintenance/schedule-labels.ts'
import {
  accessChoices,
  type AccessForm,
  checkAccess,
  type TargetLevel,
  readAccess,
  writeAccess,
} from './access-form.ts'

const TITLE = 'Remote access'
type Params = ReturnType<typeof paramsOf>

/** Remote access settings of a client, a site, a machine or all machines: `client-3`, `site-2`, `agent-ABC`, nothing. */
export function RemoteAccessDialog({ item = 'default-all', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_manage_remote_access" onClose={close}>
      <LoadAccess params={paramsOf(item)} close={close} />
    </GuardedDialog>
  )
}

function paramsOf(item: string) {
  const dash = item.indexOf('-')
  // The server rejects other levels.
  const level = item.slice(0, dash) as TargetLevel
  return { level, id: item.slice(dash + 1) }
}

function LoadAccess({ params, close }: { params: Params; close: () => void }) {
  const options = query(getRemoteAccess, { params })
  const { data, error, refetch } = useQuery({ ...options, staleTime: 0, gcTime: 0 })
  if (data === undefined) {
    return <StateDialog title={TITLE} onClose={close} error={error} onRetry={() => void refetch()} />
  }
  return <AccessDialog key={data.modified} params={params} access={data} close={close} />
}

interface AccessDialogProps {
  params: Params
  access: TargetRemoteAccess
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
      done="Saved. Online machines are updated within seconds, others when they reconnect."
      onClose={close}
    >
      <NotEnforced access={access} level={params.level} />
      <AccessFields form={form} inherited={inherited} level={params.level} />
    </FormDialog>
  )
}

interface NotEnforcedProps {
  access: Pick<TargetRemoteAccess, 'name' | 'not_enforced'>
  level: TargetLevel
}

/** Machines whose old agents do not enforce these settings; nothing if none. */
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
      {count === 1 ? 'Its agent is' : 'Their agents are'} too old: remote tools open at any hour and without
      consent. Reinstall the agent
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

const OPENS = 'Without X11 and zenity, kdialog or xmessage: opens without asking.'
/** Effect where no question can be shown. */
const NOBODY: Record<string, string> = {
  off: '',
  ask: OPENS,
  ask_allow: OPENS,
  require: 'Without X11 and zenity, kdialog or xmessage: does not open.',
}

interface AccessFieldsProps {
  form: UseFormReturnType<AccessForm>
  inherited: TargetRemoteAccess['inherited']
  level: TargetLevel
}

function AccessFields({ form, inherited, level }: AccessFieldsProps) {
  const choices = accessChoices(inherited, level)
  const isTop = level === 'default'
  const { hours } = form.values
  return (
    <Stack gap="md">
      <Select
        label="Remote tools"
        description="Terminal, desktop, files, logs, processes, services. Does not apply to commands and scripts."
        data={choices.forbidden}
        allowDeselect={false}
        data-autofocus
        {...form.getInputProps('forbidden')}
      />
      <Select
        label="Hours"
        description="In each machine's time zone. Open sessions end with the hours."
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
              description={form.values.to < form.values.from ? 'On the next day' : undefined}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              {...form.getInputProps('to')}
            />
          </Group>
        </>
      )}
      <Select
        label="Person at the machine"
        description={`Asked before a terminal or desktop opens. ${NOBODY[form.values.consent] ?? NOBODY[inherited.consent]}`}
        data={choices.consent}
        allowDeselect={false}
        {...form.getInputProps('consent')}
      />
      <NumberInput
        label="Time to respond"
        description="In seconds, from 5 to 120"
        placeholder={`${isTop ? 'Not set' : 'Inherited'}: ${inherited.consent_seconds}`}
        allowDecimal={false}
        clampBehavior="none"
        {...form.getInputProps('consent_seconds')}
      />
      <Select
        label="Note with the technician's name"
        description="Shown at the machine while a terminal or desktop is open."
        data={choices.banner}
        allowDeselect={false}
        {...form.getInputProps('banner')}
      />
      <Select
        label="Reason"
        description="Ask why a terminal, the desktop or VNC is opened. Kept with the session and in the audit log."
        data={choices.ask_purpose}
        allowDeselect={false}
        {...form.getInputProps('ask_purpose')}
      />
      <Select
        label="Record terminals"
        description="The technician is informed. Servers are machines of the type “Server”."
        data={choices.record_terminals}
        allowDeselect={false}
        {...form.getInputProps('record_terminals')}
      />
      <Select
        label="Record desktops"
        description="Take control and VNC. The person at the machine is always informed."
        data={choices.record_desktops}
        allowDeselect={false}
        {...form.getInputProps('record_desktops')}
      />
    </Stack>
  )
}
