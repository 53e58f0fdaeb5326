import { Alert, Text } from '@mantine/core'
import '@mantine/core/styles/Alert.css'
import {
  deleteUserPasskey,
  listOwnPasskeys,
  listUserPasskeys,
  type Passkey,
} from '@muster/contract/api/passkeys'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call, query } from '../../../app/api/api.ts'
import { useMay } from '../../../app/api/queries.ts'
import { GuardedDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { ListDialog, NewButton } from '../../../app/dialogs/ListDialog.tsx'
import { RemoveDialog } from '../../../app/dialogs/RemoveDialog.tsx'
import type { AddressedDialogProps } from '../../../app/dialogs/use-dialog.ts'
import { Time } from '../../../ui/layout/Time.tsx'
import { DeleteButton, EditAndDelete, ListRow, RowDetail } from '../../../ui/table/ListRows.tsx'
import { usersQuery } from '../accounts/user-form.ts'
import { AddPasskeyDialog, DeletePasskeyDialog, RenamePasskeyDialog } from './PasskeyForms.tsx'
import { whyNoPasskeys } from './browser-passkeys.ts'

const TITLE = 'Passkeys'

/** The user's own passkeys, or with an id those of that user. */
export function PasskeysDialog({ item, close }: AddressedDialogProps) {
  if (item === undefined) return <OwnPasskeys onClose={close} />
  return (
    <GuardedDialog title={TITLE} needs="can_list_accounts" onClose={close}>
      <UserPasskeys id={Number(item)} onClose={close} />
    </GuardedDialog>
  )
}

type Asked = { what: 'add' } | { what: 'rename' | 'delete'; passkey: Passkey }

function OwnPasskeys({ onClose }: { onClose: () => void }) {
  const passkeys = useQuery({ ...query(listOwnPasskeys, {}), staleTime: 0 })
  const [asked, setAsked] = useState<Asked>()
  const end = () => setAsked(undefined)
  const why = whyNoPasskeys()
  return (
    <>
      <ListDialog
        title={TITLE}
        size="lg"
        onClose={onClose}
        rows={passkeys}
        searchText={({ name }) => name}
        empty={why ?? 'No passkeys yet. One signs you in by fingerprint, face, PIN or security key.'}
        note={why !== undefined && <Alert color="gray">{why}</Alert>}
        create={
          why === undefined && <NewButton onClick={() => setAsked({ what: 'add' })}>Add passkey</NewButton>
        }
      >
        {(passkey) => (
          <PasskeyRow
            key={passkey.id}
            passkey={passkey}
            actions={
              <EditAndDelete
                name={passkey.name}
                editLabel="Rename"
                onEdit={() => setAsked({ what: 'rename', passkey })}
                onDelete={() => setAsked({ what: 'delete', passkey })}
              />
            }
          />
        )}
      </ListDialog>
      {asked?.what === 'add' && <AddPasskeyDialog onClose={end} />}
      {asked?.what === 'rename' && <RenamePasskeyDialog passkey={asked.passkey} onClose={end} />}
      {asked?.what === 'delete' && <DeletePasskeyDialog passkey={asked.passkey} onClose={end} />}
    </>
  )
}

function UserPasskeys({ id, onClose }: { id: number; onClose: () => void }) {
  const list = query(listUserPasskeys, { params: { id } })
  const passkeys = useQuery({ ...list, staleTime: 0 })
  const user = useQuery(usersQuery).data?.find((one) => one.id === id)
  const mayManage = useMay('can_manage_accounts')
  const [removing, setRemoving] = useState<Passkey>()
  return (
    <>
      <ListDialog
        title={user === undefined ? TITLE : `${TITLE} of ${user.username}`}
        size="lg"
        onClose={onClose}
        rows={passkeys}
        searchText={({ name }) => name}
        empty="No passkeys. Users add them in the menu of their account."
        create={null}
      >
        {(passkey) => (
          <PasskeyRow
            key={passkey.id}
            passkey={passkey}
            actions={
              mayManage && user?.may_change === true ? (
                <DeleteButton name={passkey.name} onDelete={() => setRemoving(passkey)} />
              ) : null
            }
          />
        )}
      </ListDialog>
      {removing !== undefined && (
        <RemoveDialog
          title="Delete this passkey?"
          message={
            <Text>
              <bdi>{removing.name}</bdi> no longer signs in {user?.username}. Sessions of the user end.
            </Text>
          }
          remove={() => call(deleteUserPasskey, { params: { id, passkey_id: removing.id } })}
          done="Passkey deleted."
          stale={list.queryKey}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  )
}

function PasskeyRow({ passkey, actions }: { passkey: Passkey; actions: ReactNode }) {
  const { name, host, backed_up, created, last_used } = passkey
  return (
    <ListRow name={name} tall actions={actions}>
      <RowDetail>
        For <span className="mono">{host}</span>
        {backed_up ? ' · synchronized between devices' : ' · on one device'}
      </RowDetail>
      <RowDetail>
        {last_used === null ? (
          'Never used'
        ) : (
          <>
            Last used <Time instant={last_used} relative />
          </>
        )}
        {' · added '}
        <Time instant={created} />
      </RowDetail>
    </ListRow>
  )
}
