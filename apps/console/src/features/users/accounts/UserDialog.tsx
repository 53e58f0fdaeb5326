import { Button } from '@mantine/core'
import type { User } from '@muster/contract/api/accounts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { GuardedDialog, StateDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../../app/dialogs/dialogs.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { EmptyState, NoPermission } from '../../../ui/layout/States.tsx'
import { UserForm } from './UserForm.tsx'
import { useUserAddress } from './use-user-address.ts'
import { usersQuery } from './users-query.ts'

/** A new user (`new`), or one that there is (`3`). Closing it leads to the users. */
export function UserDialog({ item = '' }: AddressedDialogProps) {
  const { openUsers } = useUserAddress()
  return (
    <GuardedDialog title="User" needs="can_manage_accounts" onClose={openUsers}>
      {item === 'new' ? (
        <UserForm user={undefined} onClose={openUsers} />
      ) : (
        <LoadedUser id={Number(item)} onClose={openUsers} />
      )}
    </GuardedDialog>
  )
}

function LoadedUser({ id, onClose }: { id: number; onClose: () => void }) {
  const { data, error, isFetchedAfterMount, refetch } = useQuery({ ...usersQuery, staleTime: 0 })
  const [opened, setOpened] = useState<User>()
  const user = data?.find((one) => one.id === id)
  if (opened === undefined && user !== undefined && isFetchedAfterMount) setOpened(user)
  if (opened?.may_change === false) {
    return (
      <Dialog title="User" onClose={onClose}>
        <NoPermission message={`${opened.username} may do more than you, so you cannot change this user.`} />
      </Dialog>
    )
  }
  if (opened !== undefined) {
    const isOld = user !== undefined && user.modified !== opened.modified
    return (
      <UserForm
        key={opened.modified}
        user={opened}
        onReload={isOld ? () => setOpened(user) : undefined}
        onClose={onClose}
      />
    )
  }
  if (data !== undefined && isFetchedAfterMount && user === undefined) {
    return (
      <Dialog title="User" onClose={onClose}>
        <EmptyState message="This user does not exist any more.">
          <Button variant="default" onClick={onClose} data-autofocus>
            Show the users
          </Button>
        </EmptyState>
      </Dialog>
    )
  }
  return <StateDialog title="User" onClose={onClose} error={error} onRetry={() => void refetch()} />
}
