import { deleteUser, editUser, resetUserTotp, type User } from '@muster/contract/api/accounts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FormError } from '../../../app/dialogs/FormDialog.tsx'
import { call } from '../../../app/api/api.ts'
import { notifyDone } from '../../../app/shell/notify.ts'
import { ConfirmDialog } from '../../../ui/dialog/ConfirmDialog.tsx'
import { ResetUserPassword } from './ResetUserPassword.tsx'
import { UserSessions } from './UserSessions.tsx'
import { usersQuery } from './users-query.ts'

export type Question = 'password' | 'sessions' | keyof typeof ACTS

export interface Asked {
  user: User
  what: Question
}

interface Act {
  title: (name: string) => string
  message: string
  label: string
  danger: boolean
  done: string
  act: (user: User) => Promise<unknown>
}

const ACTS = {
  totp: {
    title: (name) => `Reset two-factor sign-in of ${name}?`,
    message:
      'The authenticator app of this user does not count any more, and the password alone is enough until a new one is set up. Sessions end.',
    label: 'Reset',
    danger: true,
    done: 'Two-factor sign-in is reset.',
    act: ({ id }) => call(resetUserTotp, { body: { id } }),
  },
  block: {
    title: (name) => `Block ${name}?`,
    message:
      'The user is signed out at once, open tools are closed, and signing in is refused until unblocked.',
    label: 'Block',
    danger: true,
    done: 'User blocked.',
    act: ({ id }) => call(editUser, { params: { id }, body: { is_active: false } }),
  },
  unblock: {
    title: (name) => `Unblock ${name}?`,
    message: 'The user may sign in again, with the same password and the same role.',
    label: 'Unblock',
    danger: false,
    done: 'User unblocked.',
    act: ({ id }) => call(editUser, { params: { id }, body: { is_active: true } }),
  },
  delete: {
    title: (name) => `Delete ${name}?`,
    message: 'The user is signed out at once, and open tools are closed. The audit log keeps what was done.',
    label: 'Delete',
    danger: true,
    done: 'User deleted.',
    act: ({ id }) => call(deleteUser, { params: { id } }),
  },
} satisfies Record<string, Act>

/** What the menu of a user asks before it is done. */
export function UserQuestion({ user, what, onClose }: Asked & { onClose: () => void }) {
  if (what === 'password') return <ResetUserPassword user={user} onClose={onClose} />
  if (what === 'sessions') return <UserSessions user={user} onClose={onClose} />
  return <Confirm user={user} ask={ACTS[what]} onClose={onClose} />
}

function Confirm({ user, ask, onClose }: { user: User; ask: Act; onClose: () => void }) {
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => ask.act(user),
    meta: { errorsShown: true },
    onSuccess: async () => {
      notifyDone(ask.done)
      onClose()
      await queryClient.invalidateQueries({ queryKey: usersQuery.queryKey })
    },
  })
  return (
    <ConfirmDialog
      title={ask.title(user.username)}
      message={
        <>
          {error !== null && <FormError error={error} />}
          {ask.message}
        </>
      }
      confirmLabel={ask.label}
      danger={ask.danger}
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}
