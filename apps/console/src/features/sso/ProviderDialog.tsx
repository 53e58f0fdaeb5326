import '@mantine/core/styles/Checkbox.css'
import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  PasswordInput,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import {
  createSsoProvider,
  DEFAULT_SSO_SCOPE,
  editSsoProvider,
  listSsoProviders,
  SSO_CALLBACK_PATH,
  type SsoProvider,
  SsoProviderForm,
} from '@muster/contract/api/sso'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { call, query } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { useDashInfo } from '../../app/api/queries.ts'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { ChangedMeanwhile, RecordDialog } from '../../app/dialogs/RecordDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../app/dialogs/use-dialog.ts'
import { useSaveInto } from '../../app/dialogs/use-save-into.ts'
import { CopyBox } from '../../ui/inputs/CopyBox.tsx'
import { roleOptions, rolesQuery } from '../users/roles/role-form.ts'

/** A new provider (`new`) or an existing one (`3`). Closing leads to the list. */
export function ProviderDialog({ item }: AddressedDialogProps) {
  const { openList } = useRecordAddress('sso-providers', 'sso-provider')
  return (
    <RecordDialog
      list={query(listSsoProviders, {})}
      item={item}
      title="Sign-in provider"
      needs="can_manage_accounts"
      gone="Provider not found."
      back="Show providers"
      onClose={openList}
    >
      {(provider, onReload) => <ProviderFields provider={provider} onReload={onReload} onClose={openList} />}
    </RecordDialog>
  )
}

interface ProviderFieldsProps {
  /** The edited provider, as it was when the form was opened. */
  provider: SsoProvider | undefined
  onReload: (() => void) | undefined
  onClose: () => void
}

type FormValues = {
  name: string
  server_url: string
  client_id: string
  secret: string
  scope: string
  role: string | null
  role_claim: string
  role_map: { value: string; role: string | null }[]
  link_by_email: boolean
  sign_out: boolean
}

const problemOf = (field: keyof SsoProviderForm, value: unknown) =>
  SsoProviderForm.shape[field].safeParse(value).error?.issues[0]?.message ?? null

function ProviderFields({ provider, onReload, onClose }: ProviderFieldsProps) {
  const saveInto = useSaveInto(queryKey(listSsoProviders, {}))
  const { data: roles } = useQuery(rolesQuery)
  const form = useForm<FormValues>({
    initialValues: {
      name: provider?.name ?? '',
      server_url: provider?.server_url ?? '',
      client_id: provider?.client_id ?? '',
      secret: '',
      scope: provider?.scope ?? DEFAULT_SSO_SCOPE,
      role: provider?.role == null ? null : `${provider.role}`,
      role_claim: provider?.role_claim ?? '',
      role_map: (provider?.role_map ?? []).map(({ value, role }) => ({ value, role: `${role}` })),
      link_by_email: provider?.link_by_email ?? false,
      sign_out: provider?.sign_out ?? false,
    },
    validate: {
      name: (name) => (provider === undefined ? problemOf('name', name) : null),
      server_url: (url) => problemOf('server_url', url),
      client_id: (id) => problemOf('client_id', id),
      scope: (scope) => problemOf('scope', scope),
      role_map: {
        value: (value) => (value.trim() === '' ? 'Enter a value.' : null),
        role: (role) => (role === null ? 'Choose a role.' : null),
      },
    },
    validateInputOnBlur: true,
  })
  const save = ({ name, secret, role, role_map, ...values }: FormValues) =>
    saveInto(async () => {
      const body = {
        ...values,
        role: role === null ? null : Number(role),
        role_map: role_map.map((row) => ({ value: row.value, role: Number(row.role) })),
        // A stored secret is kept unless a new one is entered.
        ...(secret === '' ? {} : { secret }),
      }
      if (provider === undefined) await call(createSsoProvider, { body: { ...body, name } })
      else
        await call(editSsoProvider, {
          params: { id: provider.id },
          body: { ...body, modified: provider.modified },
        })
    })
  const options = roleOptions(roles)
  return (
    <FormDialog
      title={provider === undefined ? 'New provider' : `Edit ${provider.name}`}
      form={form}
      save={save}
      done={provider === undefined ? 'Provider added.' : 'Provider saved.'}
      submitLabel={provider === undefined ? 'Add provider' : 'Save'}
      onClose={onClose}
    >
      <Stack gap="md">
        <ChangedMeanwhile what="this provider" onReload={onReload} />
        <TextInput
          label="Name"
          description="Shown on the sign-in page. Letters, digits, - and _"
          maxLength={40}
          data-autofocus
          disabled={provider !== undefined}
          {...form.getInputProps('name')}
        />
        <CallbackUrl provider={provider} />
        <TextInput
          label="Issuer URL"
          placeholder="https://login.example.com/realms/staff"
          maxLength={2000}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          {...form.getInputProps('server_url')}
        />
        <TextInput
          label="Client ID"
          maxLength={500}
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: 'mono' }}
          {...form.getInputProps('client_id')}
        />
        <PasswordInput
          label="Client secret"
          description={
            provider?.has_secret === true
              ? 'A secret is stored and hidden. Leave empty to keep it.'
              : 'Empty for a public client'
          }
          maxLength={2000}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show client secret' }}
          {...form.getInputProps('secret')}
        />
        <TextInput
          label="Scopes"
          maxLength={500}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          {...form.getInputProps('scope')}
        />
        <Select
          label="Default role"
          description="For new users without a role by claim"
          placeholder="None: these users are refused"
          data={options}
          searchable
          clearable
          nothingFoundMessage="No matching role"
          comboboxProps={{ withinPortal: true }}
          {...form.getInputProps('role')}
        />
        <TextInput
          label="Role claim"
          description="Sets the role at each sign-in. For example groups or realm_access.roles"
          placeholder="None: administrators set roles"
          maxLength={200}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          {...form.getInputProps('role_claim')}
        />
        {form.values.role_claim.trim() !== '' && <RoleMap form={form} options={options} />}
        <Checkbox
          label="Connect existing users with the same verified e-mail"
          description="Their password ends. Superusers are never connected."
          {...form.getInputProps('link_by_email', { type: 'checkbox' })}
        />
        <Checkbox
          label="Sign out at the provider too"
          {...form.getInputProps('sign_out', { type: 'checkbox' })}
        />
      </Stack>
    </FormDialog>
  )
}

/** An administrator enters it at the provider. */
function CallbackUrl({ provider }: { provider: SsoProvider | undefined }) {
  const url = useDashInfo()?.agent_url
  const text = provider?.callback_url ?? (url === undefined ? undefined : `${url}${SSO_CALLBACK_PATH}`)
  if (text === undefined) return null
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        Callback URL, to be allowed at the provider
      </Text>
      <CopyBox label="Callback URL" text={text} />
    </div>
  )
}

interface RoleMapProps {
  form: UseFormReturnType<FormValues>
  options: ReturnType<typeof roleOptions>
}

/** Values of the claim with their roles. The first match counts. */
function RoleMap({ form, options }: RoleMapProps) {
  return (
    <div role="group" aria-label="Roles by value">
      <Text size="sm" fw={600} mb={4}>
        Roles by value. The first match counts.
      </Text>
      <Stack gap="xs">
        {form.values.role_map.map((_, index) => (
          // Rows have no id, and each input is controlled by its position.
          // oxlint-disable-next-line react/no-array-index-key
          <Group key={index} gap="xs" align="flex-start" wrap="nowrap">
            <TextInput
              aria-label={`Value ${index + 1}`}
              placeholder="Value"
              maxLength={300}
              spellCheck={false}
              flex={1}
              {...form.getInputProps(`role_map.${index}.value`)}
            />
            <Select
              aria-label={`Role ${index + 1}`}
              placeholder="Role"
              data={options}
              searchable
              flex={1}
              nothingFoundMessage="No matching role"
              comboboxProps={{ withinPortal: true }}
              {...form.getInputProps(`role_map.${index}.role`)}
            />
            <ActionIcon
              aria-label={`Remove value ${index + 1}`}
              mt={2}
              onClick={() => form.removeListItem('role_map', index)}
            >
              <IconTrash size={16} stroke={1.75} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <div>
          <Button
            variant="default"
            leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
            onClick={() => form.insertListItem('role_map', { value: '', role: null })}
          >
            Add value
          </Button>
        </div>
      </Stack>
    </div>
  )
}
