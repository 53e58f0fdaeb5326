import '@mantine/core/styles/Alert.css'
import '@mantine/core/styles/NumberInput.css'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { getRemoteAccess, type TargetRemoteAccess, setRemoteAccess } from '@muster/contract/api/remote-access'
import { useQuery } from '@tanstack/react-query'
import { Alert, Checkbox, Group, NumberInput, Select, Stack, TextInput } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { FormSection } from '../../../app/dialogs/FormSection.tsx'
import { GuardedDialog, LoadingState, StateDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { call, query } from '../../../app/api/api.ts'
import type { AddressedDialogProps } from '../../../app/dialogs/use-dialog.ts'
import { WEEKDAYS } from '../../maintenance/schedule-labels.ts'
import {
  ACCESS_FIELDS,
  accessChoices,
  type AccessForm as AccessFormValues,
  checkAccess,
  type TargetLevel,
  readAccess,
  writeAccess,
} from './access-form.ts'

const TITLE = 'Remote access'
type Params = ReturnType<typeof paramsOf>

/** Remote access settings of a client, a site or a machine: `client-3`, `site-2`, `agent-ABC`. */
export function RemoteAccessDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_manage_remote_access" onClose={close}>
      <LoadAccess params={paramsOf(item)} close={close} />
    </GuardedDialog>
  )
}

/** Remote access settings of all machines, in the settings. */
export function RemoteAccessSection() {
  return <LoadAccess params={{ level: 'default', id: 'all' }} close={undefined} />
}

function paramsOf(item: string) {
  const dash = item.indexOf('-')
  // The server rejects other levels.
  const level = item.slice(0, dash) as TargetLevel
  return { level, id: item.slice(dash + 1) }
}

function LoadAccess({ params, close }: Pick<AccessDialogProps, 'params' | 'close'>) {
  const options = query(getRemoteAccess, { params })
  const { data, error, refetch } = useQuery({ ...options, staleTime: 0, gcTime: 0 })
  if (data === undefined) {
    const retry = () => void refetch()
    if (close === undefined) return <LoadingState error={error} onRetry={retry} />
    return <StateDialog title={TITLE} onClose={close} error={error} onRetry={retry} />
  }
  return (
    <AccessForm
      key={data.modified}
      params={params}
      access={data}
      close={close}
      reload={async () => void (await refetch())}
    />
  )
}

interface AccessDialogProps {
  params: Params
  access: TargetRemoteAccess
  /** Absent in the settings, where the form stays. */
  close: (() => void) | undefined
  reload: () => Promise<void>
}

function AccessForm({ params, access, close, reload }: AccessDialogProps) {
  const { name, settings, modified } = access
  const form = useForm<AccessFormValues>({
    initialValues: readAccess(settings),
    validate: checkAccess,
    validateInputOnChange: true,
  })
  const shared = {
    form,
    save: (values: AccessFormValues) =>
      call(setRemoteAccess, { params, body: { ...writeAccess(values), modified } }),
    done: 'Saved. Online machines are updated within seconds, others when they reconnect.',
    children: (
      <>
        <NotEnforced access={access} level={params.level} />
        <AccessFields form={form} access={access} level={params.level} />
      </>
    ),
  }
  if (close !== undefined)
    return <FormDialog title={`Remote access to ${name}`} onClose={close} {...shared} />
  const saveAndReload = async (values: AccessFormValues) => {
    await shared.save(values)
    await reload()
  }
  return <FormSection title={TITLE} {...shared} save={saveAndReload} />
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

const ENFORCED_ABOVE = 'Enforced by a level above'
const BELOW = { default: 'Clients, sites and machines', client: 'Sites and machines', site: 'Machines' }

interface AccessFieldsProps {
  form: UseFormReturnType<AccessFormValues>
  access: Pick<TargetRemoteAccess, 'inherited' | 'enforced'>
  level: TargetLevel
}

function AccessFields({ form, access, level }: AccessFieldsProps) {
  const { inherited } = access
  const choices = accessChoices(inherited, level)
  const isTop = level === 'default'
  const { hours } = form.values
  /** A setting that a level above enforces shows the value that counts. */
  const inputOf = (name: keyof typeof ACCESS_FIELDS) =>
    access.enforced.includes(name)
      ? { value: name === 'consent_seconds' ? '' : 'inherit', disabled: true, description: ENFORCED_ABOVE }
      : form.getInputProps(name)
  const showsHours = hours === 'hours' && !access.enforced.includes('hours')
  return (
    <Stack gap="md">
      <Select
        {...ACCESS_FIELDS.forbidden}
        data={choices.forbidden}
        allowDeselect={false}
        data-autofocus
        {...inputOf('forbidden')}
      />
      <Select {...ACCESS_FIELDS.hours} data={choices.hours} allowDeselect={false} {...inputOf('hours')} />
      {showsHours && (
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
        label={ACCESS_FIELDS.consent.label}
        description={`${ACCESS_FIELDS.consent.description} ${NOBODY[form.values.consent] ?? NOBODY[inherited.consent]}`}
        data={choices.consent}
        allowDeselect={false}
        {...inputOf('consent')}
      />
      <NumberInput
        {...ACCESS_FIELDS.consent_seconds}
        placeholder={`${isTop ? 'Not set' : 'Inherited'}: ${inherited.consent_seconds}`}
        allowDecimal={false}
        clampBehavior="none"
        {...inputOf('consent_seconds')}
      />
      <Select {...ACCESS_FIELDS.banner} data={choices.banner} allowDeselect={false} {...inputOf('banner')} />
      <Select
        {...ACCESS_FIELDS.ask_purpose}
        data={choices.ask_purpose}
        allowDeselect={false}
        {...inputOf('ask_purpose')}
      />
      <Select
        {...ACCESS_FIELDS.record_terminals}
        data={choices.record_terminals}
        allowDeselect={false}
        {...inputOf('record_terminals')}
      />
      <Select
        {...ACCESS_FIELDS.record_desktops}
        data={choices.record_desktops}
        allowDeselect={false}
        {...inputOf('record_desktops')}
      />
      {level !== 'agent' && (
        <Checkbox
          label="Enforced"
          description={`${BELOW[level]} cannot change what is set here.`}
          {...form.getInputProps('enforced', { type: 'checkbox' })}
        />
      )}
    </Stack>
  )
}
