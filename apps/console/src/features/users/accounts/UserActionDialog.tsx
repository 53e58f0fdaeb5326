import {
  deleteUser,
  editUser,
  resetUserPassword,
  resetUserTotp,
  type User,
} from '@muster/contract/api/accounts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useForm } from '@mantine/form'
import { Button, Checkbox, Stack } from '@mantine/core'
import { endUserSessions, listUserSessions } from '@muster/contract/api/sessions'
import { FormDialog, FormError } from '../../../app/dialogs/FormDialog.tsx'
import { call, query } from '../../../app/api/api.ts'
import { notifyDone } from '../../../app/shell/notify.ts'
import { ConfirmDialog } from '../../../ui/dialog/ConfirmDialog.tsx'
import { LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../../ui/layout/States.tsx'
import { AccountsDialog } from '../../sso/AccountsDialog.tsx'
import { SessionRow } from '../sessions/SessionRow.tsx'
import { usersQuery } from './user-form.ts'
import {
  checkNewPassword,
  MUST_CHANGE_PASSWORD,
  NewPasswordField,
  useMinPasswordLength,
} from './NewPasswordField.tsx'

export type UserAction = 'password' | 'sessions' | 'accounts' | keyof typeof ACTS

export interface Asked {
  user: User
  what: UserAction
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
      'Their authenticator app and passkeys stop working. The password alone is enough until a new setup. Sessions end.',
    label: 'Reset two-factor',
    danger: true,
    done: 'Two-factor sign-in reset.',
    act: ({ id }) => call(resetUserTotp, { body: { id } }),
  },
  block: {
    title: (name) => `Block ${name}?`,
    message:
      'Signs out the user, closes open tools and deletes their deployments. They cannot sign in until unblocked.',
    label: 'Block user',
    danger: true,
    done: 'User blocked.',
    act: ({ id }) => call(editUser, { params: { id }, body: { is_active: false } }),
  },
  unblock: {
    title: (name) => `Unblock ${name}?`,
    message: 'The user can sign in again with the same password and role.',
    label: 'Unblock user',
    danger: false,
    done: 'User unblocked.',
    act: ({ id }) => call(editUser, { params: { id }, body: { is_active: true } }),
  },
  delete: {
    title: (name) => `Delete ${name}?`,
    message: 'Signs out the user, closes open tools and deletes their deployments. The audit log stays.',
    label: 'Delete user',
    danger: true,
    done: 'User deleted.',
    act: ({ id }) => call(deleteUser, { params: { id } }),
  },
} satisfies Record<string, Act>

/** The dialog of an action in a user's menu. */
export function UserActionDialog({ user, what, onClose }: Asked & { onClose: () => void }) {
  if (what === 'password') return <ResetUserPassword user={user} onClose={onClose} />
  if (what === 'sessions') return <UserSessions user={user} onClose={onClose} />
  if (what === 'accounts') return <AccountsDialog user={user} onClose={onClose} />
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

/** Sets a new password for another user, who is signed out. */
function ResetUserPassword({ user, onClose }: { user: User; onClose: () => void }) {
  const { id, username } = user
  const minCharacters = useMinPasswordLength()
  const form = useForm({
    initialValues: { password: '', must_change_password: true },
    validateInputOnBlur: true,
    validate: { password: (password) => checkNewPassword(password, minCharacters) },
  })
  return (
    <FormDialog
      title={`Reset the password of ${username}`}
      size="sm"
      form={form}
      save={(values) => call(resetUserPassword, { body: { id, ...values } })}
      done="Password changed. The user was signed out everywhere."
      submitLabel="Reset password"
      onClose={onClose}
    >
      <Stack gap="md">
        <NewPasswordField
          label="New password"
          autoFocus
          onGenerate={(password) => form.setFieldValue('password', password)}
          {...form.getInputProps('password')}
        />
        <Checkbox
          label={MUST_CHANGE_PASSWORD}
          {...form.getInputProps('must_change_password', { type: 'checkbox' })}
        />
      </Stack>
    </FormDialog>
  )
}

/** The sessions of a user, and buttons to end each or all. */
function UserSessions({ user, onClose }: { user: User; onClose: () => void }) {
  const queryClient = useQueryClient()
  const sessions = query(listUserSessions, { params: { id: user.id } })
  const { data, error, refetch } = useQuery({ ...sessions, staleTime: 0 })
  const endAll = useMutation({
    mutationFn: () => call(endUserSessions, { params: { id: user.id } }),
    onSuccess: async () => {
      notifyDone('All sessions ended.')
      await queryClient.invalidateQueries({ queryKey: sessions.queryKey })
    },
  })
  const isAny = data !== undefined && data.length > 0
  return (
    <Dialog
      title={`Sessions of ${user.username}`}
      size="lg"
      onClose={onClose}
      footer={
        <>
          {isAny && (
            <Button
              variant="subtle"
              color="negative"
              loading={endAll.isPending}
              onClick={() => endAll.mutate()}
            >
              End all sessions
            </Button>
          )}
          <Button variant="default" onClick={onClose} data-autofocus>
            Close
          </Button>
        </>
      }
    >
      {data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={2} />
      ) : isAny ? (
        <ul className="plain-list">
          {data.map((session) => (
            <SessionRow key={session.digest} session={session} stale={sessions.queryKey} />
          ))}
        </ul>
      ) : (
        <EmptyState message="No active sessions" />
      )}
    </Dialog>
  )
}
