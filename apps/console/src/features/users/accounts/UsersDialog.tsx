import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { GuardedDialog, LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../../app/dialogs/use-dialog.ts'
import { useMay } from '../../../app/api/queries.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { ListRows } from '../../../ui/table/ListRows.tsx'
import { SearchField } from '../../../ui/inputs/SearchField.tsx'
import { EmptyState } from '../../../ui/layout/States.tsx'
import { type Asked, UserActionDialog } from './UserActionDialog.tsx'
import { UserRow } from './UserRow.tsx'
import { findUsers, usersQuery } from './user-form.ts'
import classes from './Users.module.css'

const TITLE = 'Users'
/** From this number on there is a search field. */
const FEW = 6

/** The users and their roles. */
export function UsersDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_accounts" onClose={close}>
      <Users close={close} />
    </GuardedDialog>
  )
}

function Users({ close }: { close: () => void }) {
  const mayEdit = useMay('can_manage_accounts')
  const { openRecord } = useRecordAddress('users', 'user')
  const { data, error, refetch } = useQuery(usersQuery)
  const [search, setSearch] = useState('')
  const [asked, setAsked] = useState<Asked>()
  const found = findUsers(data ?? [], search)
  return (
    <>
      <Dialog
        title={TITLE}
        onClose={close}
        size="lg"
        footer={
          <>
            <Button variant="default" onClick={close} data-autofocus>
              Close
            </Button>
            {mayEdit && (
              <Button
                leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
                onClick={() => openRecord('new')}
              >
                New user
              </Button>
            )}
          </>
        }
      >
        {data !== undefined && data.length > FEW && (
          <SearchField
            label="Search users"
            placeholder="Name, e-mail, role, blocked"
            value={search}
            onSearch={setSearch}
            className={classes.search}
          />
        )}
        {data === undefined ? (
          <LoadingState error={error} onRetry={() => void refetch()} rows={3} />
        ) : found.length === 0 ? (
          <EmptyState message="No users match the search." />
        ) : (
          <ListRows label={TITLE}>
            {found.map((user) => (
              <UserRow
                key={user.id}
                user={user}
                mayEdit={mayEdit}
                onAsk={(what) => setAsked({ user, what })}
              />
            ))}
          </ListRows>
        )}
      </Dialog>
      {asked !== undefined && <UserActionDialog {...asked} onClose={() => setAsked(undefined)} />}
    </>
  )
}
