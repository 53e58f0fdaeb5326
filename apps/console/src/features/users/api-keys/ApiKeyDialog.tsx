import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import '@mantine/core/styles/Radio.css'
import { MultiSelect, Radio, Select, Stack, TextInput } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import {
  type ApiKey,
  createApiKey,
  editApiKey,
  listApiKeys,
  type ShownApiKey,
} from '@muster/contract/api/api-keys'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { call, query } from '../../../app/api/api.ts'
import { clientsQuery, useMay, useMe } from '../../../app/api/queries.ts'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { ChangedMeanwhile, RecordDialog } from '../../../app/dialogs/RecordDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../../app/dialogs/use-dialog.ts'
import { useSaveInto } from '../../../app/dialogs/use-save-into.ts'
import { DateTimeField } from '../../../ui/inputs/DateTimeField.tsx'
import { fromLocalText, toLocalText } from '../../alerts/snooze-choices.ts'
import { ListField } from '../../../ui/inputs/ListField.tsx'
import { usersQuery } from '../accounts/user-form.ts'
import { roleOptions, rolesQuery } from '../roles/role-form.ts'
import { ShownKey } from './ShownKey.tsx'

export const apiKeysQuery = query(listApiKeys, {})

/** A new API key (`new`) or an existing one (`3`). Closing leads to the keys. */
export function ApiKeyDialog({ item }: AddressedDialogProps) {
  const { openList } = useRecordAddress('api-keys', 'api-key')
  return (
    <RecordDialog
      list={apiKeysQuery}
      item={item}
      title="API key"
      needs="can_manage_api_keys"
      gone="API key not found."
      back="Show API keys"
      onClose={openList}
    >
      {(apiKey, onReload) => <ApiKeyForm apiKey={apiKey} onReload={onReload} onClose={openList} />}
    </RecordDialog>
  )
}

type Values = {
  name: string
  user: string | null
  role: string | null
  sees: 'all' | 'some'
  /** Ids as texts. */
  clients: string[]
  /** Local time, as the input writes it; empty = never. */
  expires: string
  allowed_addresses: string[]
}

interface ApiKeyFormProps {
  /** The edited key, as it was when the form was opened. */
  apiKey: ApiKey | undefined
  /** After a conflict: restarts the form with the saved values. */
  onReload: (() => void) | undefined
  onClose: () => void
}

function ApiKeyForm({ apiKey, onReload, onClose }: ApiKeyFormProps) {
  const saveInto = useSaveInto(apiKeysQuery.queryKey)
  const me = useMe()
  const made = useRef<ShownApiKey>(undefined)
  const [shown, setShown] = useState<ShownApiKey>()
  const form = useForm<Values>({
    initialValues: {
      name: apiKey?.name ?? '',
      user: `${apiKey?.user ?? me?.id ?? ''}`,
      role: apiKey?.role == null ? null : `${apiKey.role}`,
      sees: (apiKey?.clients ?? null) === null ? 'all' : 'some',
      clients: (apiKey?.clients ?? []).map(String),
      expires: apiKey?.expiration == null ? '' : toLocalText(Date.parse(apiKey.expiration)),
      allowed_addresses: apiKey?.allowed_addresses ?? [],
    },
    validate: {
      name: (name) => (name.trim() === '' ? 'A name is needed.' : null),
      user: (user) => (user === null ? 'Choose an owner.' : null),
      expires: (text) =>
        text === '' || fromLocalText(text) !== undefined ? null : 'Enter a date and a time.',
    },
    validateInputOnBlur: true,
  })
  const save = (values: Values) =>
    saveInto(async () => {
      const { name, role, sees, clients, expires } = values
      const atMs = fromLocalText(expires)
      const body = {
        name,
        role: role === null ? null : Number(role),
        clients: sees === 'all' ? null : clients.map(Number),
        allowed_addresses: values.allowed_addresses.map((text) => text.trim()).filter((text) => text !== ''),
        // The field has no seconds: an unchanged time is not sent.
        ...(form.isDirty('expires') && {
          expiration: atMs === undefined ? null : new Date(atMs).toISOString(),
        }),
      }
      if (apiKey === undefined)
        made.current = await call(createApiKey, { body: { ...body, user: Number(values.user) } })
      else await call(editApiKey, { params: { id: apiKey.id }, body: { ...body, modified: apiKey.modified } })
    })
  if (shown !== undefined) return <ShownKey apiKey={shown} onClose={onClose} />
  return (
    <FormDialog
      title={apiKey === undefined ? 'New API key' : `Edit ${apiKey.name}`}
      form={form}
      save={save}
      done={apiKey === undefined ? 'API key created.' : 'API key saved. Changes apply at once.'}
      submitLabel={apiKey === undefined ? 'Create key' : 'Save'}
      onClose={() => (made.current === undefined ? onClose() : setShown(made.current))}
    >
      <Stack gap="md">
        <ChangedMeanwhile what="this API key" onReload={onReload} />
        <TextInput
          label="Name"
          description="Shown in the audit log, for example the name of the program."
          maxLength={100}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <RightsFields form={form} apiKey={apiKey} />
        <DateTimeField
          label="Expires"
          description="Optional. The key is refused from then on."
          {...form.getInputProps('expires')}
        />
        <ListField
          label="Allowed addresses"
          description="Addresses and networks such as 203.0.113.0/24. None = any address."
          noun="address"
          values={form.values.allowed_addresses}
          onChange={(values) => form.setFieldValue('allowed_addresses', values)}
          path="allowed_addresses"
          error={form.errors['allowed_addresses']}
        />
      </Stack>
    </FormDialog>
  )
}

type Form = UseFormReturnType<Values>

/** The owner, and a role and clients that narrow the owner's rights. */
function RightsFields({ form, apiKey }: { form: Form; apiKey: ApiKey | undefined }) {
  const me = useMe()
  const mayListUsers = useMay('can_list_accounts')
  const mayListClients = useMay('can_list_clients')
  const { data: users } = useQuery({ ...usersQuery, enabled: mayListUsers })
  const { data: roles } = useQuery({ ...rolesQuery, enabled: mayListUsers })
  const { data: clients } = useQuery({ ...clientsQuery, enabled: mayListClients })
  const own = { id: apiKey?.user ?? me?.id ?? 0, username: apiKey?.username ?? me?.username ?? '' }
  const owners = users?.filter(({ may_change, id }) => may_change || id === own.id) ?? [own]
  const ownRole = apiKey?.role == null ? [] : [{ value: `${apiKey.role}`, label: apiKey.role_name ?? '' }]
  return (
    <>
      <Select
        label="Owner"
        description={
          apiKey === undefined ? 'The key acts for this user.' : 'The owner of a key cannot be changed.'
        }
        data={owners.map(({ id, username }) => ({ value: `${id}`, label: username }))}
        disabled={apiKey !== undefined}
        searchable
        comboboxProps={{ withinPortal: true }}
        {...form.getInputProps('user')}
      />
      <Select
        label="Role"
        description={
          mayListUsers ? 'Narrows the rights of the owner.' : 'Your role does not allow you to see roles.'
        }
        placeholder="None: all rights of the owner"
        data={roles === undefined ? ownRole : roleOptions(roles)}
        disabled={!mayListUsers}
        searchable
        clearable
        nothingFoundMessage="No matching role"
        comboboxProps={{ withinPortal: true }}
        {...form.getInputProps('role')}
      />
      <Radio.Group label="Visible clients" {...form.getInputProps('sees')}>
        <Stack gap="xs" mt={4}>
          <Radio value="all" label="All that owner and role see" />
          <Radio value="some" label="Selected clients" disabled={!mayListClients} />
        </Stack>
      </Radio.Group>
      {form.values.sees === 'some' && (
        <MultiSelect
          label="Selected clients"
          placeholder={form.values.clients.length === 0 ? 'None' : ''}
          data={(clients ?? []).map(({ id, name }) => ({ value: `${id}`, label: name }))}
          searchable
          hidePickedOptions
          nothingFoundMessage="No matching client"
          comboboxProps={{ withinPortal: true }}
          {...form.getInputProps('clients')}
        />
      )}
    </>
  )
}
