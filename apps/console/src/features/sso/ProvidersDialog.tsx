import '@mantine/core/styles/Switch.css'
import { Stack, Switch, Text } from '@mantine/core'
import { editCoreSettings } from '@muster/contract/api/settings'
import { deleteSsoProvider, listSsoProviders, type SsoProvider } from '@muster/contract/api/sso'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { dashInfoQuery, useDashInfo, useMe } from '../../app/api/queries.ts'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { ListDialog, NewButton } from '../../app/dialogs/ListDialog.tsx'
import { RemoveDialog } from '../../app/dialogs/RemoveDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../app/dialogs/use-dialog.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { CopyText } from '../../ui/inputs/CopyText.tsx'
import { EditAndDelete, ListRow, RowDetail } from '../../ui/table/ListRows.tsx'

const TITLE = 'Single sign-on'

/** The providers with which users sign in, and whether they do. */
export function ProvidersDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_accounts" onClose={close}>
      <Providers close={close} />
    </GuardedDialog>
  )
}

function Providers({ close }: { close: () => void }) {
  const { openRecord } = useRecordAddress('sso-providers', 'sso-provider')
  const providers = useQuery(query(listSsoProviders, {}))
  const isSuperuser = useMe()?.is_superuser === true
  const [removing, setRemoving] = useState<SsoProvider>()
  return (
    <>
      <ListDialog
        title={TITLE}
        size="lg"
        onClose={close}
        rows={providers}
        searchText={({ name, server_url }) => `${name}\n${server_url}`}
        empty="No providers yet. Users sign in with an account of your company's identity provider."
        create={isSuperuser && <NewButton onClick={() => openRecord('new')}>New provider</NewButton>}
        note={<SignInSwitches />}
      >
        {(provider) => (
          <ProviderRow
            key={provider.id}
            provider={provider}
            mayEdit={isSuperuser}
            onEdit={() => openRecord(provider.id)}
            onRemove={() => setRemoving(provider)}
          />
        )}
      </ListDialog>
      {removing !== undefined && (
        <RemoveDialog
          title="Delete this provider?"
          message={
            <Text>
              {describeLoss(removing.users)} Nobody signs in with <bdi>{removing.name}</bdi> any more.
            </Text>
          }
          remove={() => call(deleteSsoProvider, { params: { id: removing.id } })}
          done="Provider deleted."
          stale={queryKey(listSsoProviders)}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  )
}

function describeLoss(users: number): string {
  if (users === 0) return ''
  return `${users === 1 ? '1 user is' : `${users} users are`} signed out and may need a new password.`
}

/** Both apply at once. */
function SignInSwitches() {
  const info = useDashInfo()
  const isSuperuser = useMe()?.is_superuser === true
  const queryClient = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: (body: { sso_enabled: boolean } | { block_local_user_logon: boolean }) =>
      call(editCoreSettings, { body }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: dashInfoQuery.queryKey })
      notifyDone('Sign-in saved.')
    },
  })
  const isOn = info?.sso_enabled === true
  return (
    <Stack gap="sm" mb="md">
      <Switch
        label="Users can sign in with these providers"
        checked={isOn}
        disabled={!isSuperuser || isPending || info === undefined}
        onChange={({ currentTarget: { checked } }) => mutate({ sso_enabled: checked })}
      />
      <Switch
        label="Password sign-in for superusers only"
        description="Keep a superuser with a password: it signs in if a provider fails."
        checked={info?.block_local_user_logon === true}
        disabled={!isSuperuser || isPending || !isOn}
        onChange={({ currentTarget: { checked } }) => mutate({ block_local_user_logon: checked })}
      />
    </Stack>
  )
}

interface ProviderRowProps {
  provider: SsoProvider
  mayEdit: boolean
  onEdit: () => void
  onRemove: () => void
}

function ProviderRow({ provider, mayEdit, onEdit, onRemove }: ProviderRowProps) {
  const { name, server_url, client_id, callback_url, users } = provider
  return (
    <ListRow
      name={name}
      tall
      beside={<span className="dim small">{users === 1 ? '1 user' : `${users} users`}</span>}
      actions={mayEdit && <EditAndDelete name={name} onEdit={onEdit} onDelete={onRemove} />}
    >
      <RowDetail>
        <span className="mono">{server_url}</span>
      </RowDetail>
      <RowDetail>
        Client ID <span className="mono">{client_id}</span>
      </RowDetail>
      <RowDetail>
        Callback URL <CopyText text={callback_url} label={`Copy callback URL of ${name}`} />
      </RowDetail>
    </ListRow>
  )
}
