import { deleteKey, type KeyStoreEntry } from '@muster/contract/api/keystore'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Text } from '@mantine/core'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { ListDialog, NewButton } from '../../app/dialogs/ListDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../app/dialogs/use-dialog.ts'
import { useMay } from '../../app/api/queries.ts'
import { CopyText } from '../../ui/inputs/CopyText.tsx'
import { EditAndDelete, ListRow, RowDetail } from '../../ui/table/ListRows.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import { RemoveDialog } from '../../app/dialogs/RemoveDialog.tsx'
import { call } from '../../app/api/api.ts'
import classes from './KeyStoreDialog.module.css'
import { keyStoreQuery } from './KeyDialog.tsx'

const TITLE = 'Key store'

/** Secrets that scripts read by name. */
export function KeyStoreDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_view_global_keystore" onClose={close}>
      <KeyStore close={close} />
    </GuardedDialog>
  )
}

function KeyStore({ close }: { close: () => void }) {
  const mayEdit = useMay('can_edit_global_keystore')
  const { openRecord } = useRecordAddress('keystore', 'key')
  const entries = useQuery(keyStoreQuery)
  const [removing, setRemoving] = useState<KeyStoreEntry>()
  return (
    <>
      <ListDialog
        title={TITLE}
        onClose={close}
        rows={entries}
        empty="No keys yet. Scripts read a key as {{global.name}}."
        create={mayEdit && <NewButton onClick={() => openRecord('new')}>New key</NewButton>}
        note={
          <p className={classes.note}>
            Values are encrypted and never shown again. Output masks values of four characters or more.
          </p>
        }
        searchText={({ name }) => name}
      >
        {(entry) => (
          <KeyRow key={entry.id} entry={entry} mayEdit={mayEdit} onRemove={() => setRemoving(entry)} />
        )}
      </ListDialog>
      {removing !== undefined && <RemoveKey entry={removing} onClose={() => setRemoving(undefined)} />}
    </>
  )
}

interface KeyRowProps {
  entry: KeyStoreEntry
  mayEdit: boolean
  onRemove: () => void
}

function KeyRow({ entry: { id, name, roles, modified }, mayEdit, onRemove }: KeyRowProps) {
  const { openRecord } = useRecordAddress('keystore', 'key')
  return (
    <ListRow
      name={name}
      actions={
        mayEdit ? <EditAndDelete name={name} onEdit={() => openRecord(id)} onDelete={onRemove} /> : null
      }
    >
      <RowDetail>
        <CopyText text={`{{global.${name}}}`} label={`Copy variable of ${name}`} />
      </RowDetail>
      <RowDetail>{describeRoles(roles)}</RowDetail>
      <RowDetail>
        saved <Time instant={modified} relative />
      </RowDetail>
    </ListRow>
  )
}

function describeRoles(roles: KeyStoreEntry['roles']): string {
  if (roles === null) return 'all roles'
  if (roles.length === 0) return 'superusers only'
  return roles.length === 1 ? '1 role' : `${roles.length} roles`
}

/** Asks before a key is deleted. */
function RemoveKey({ entry, onClose }: { entry: KeyStoreEntry; onClose: () => void }) {
  return (
    <RemoveDialog
      title="Delete this key?"
      message={
        <Text>
          Scripts that use <bdi>{entry.name}</bdi> do not run until it is stored again. The value cannot be
          restored.
        </Text>
      }
      remove={() => call(deleteKey, { params: { id: entry.id } })}
      done="Key deleted."
      stale={keyStoreQuery.queryKey}
      onClose={onClose}
    />
  )
}
