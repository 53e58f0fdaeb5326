import '@mantine/core/styles/Alert.css'
import { Alert, Button, Checkbox, Stack, TextInput } from '@mantine/core'
import { createUser, editUser, type User } from '@muster/contract/api/accounts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from '@mantine/form'
import { ApiError } from '@muster/contract/client'
import { GuardedDialog, StateDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../../app/dialogs/dialogs.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { EmptyState, NoPermission } from '../../../ui/layout/States.tsx'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { call } from '../../../app/api/api.ts'
import { useMe } from '../../../app/api/queries.ts'
import { useUserAddress } from './use-user-address.ts'
import { usersQuery } from './users-query.ts'
import { NewPasswordField } from './NewPasswordField.tsx'
import { RoleField } from './RoleField.tsx'
import { checkUser, readUser, type UserForm as Values, writeUser } from './user-form.ts'
import classes from './Users.module.css'

/** A new user (`new`) or an existing one (`3`). Closing leads to the users. */
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
        <NoPermission
          message={`${opened.username} has more permissions than you. You cannot edit this user.`}
        />
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
        <EmptyState message="User not found.">
          <Button variant="default" onClick={onClose} data-autofocus>
            Show users
          </Button>
        </EmptyState>
      </Dialog>
    )
  }
  return <StateDialog title="User" onClose={onClose} error={error} onRetry={() => void refetch()} />
}

interface UserFormProps {
  /** The edited user, as it was when the form was opened. */
  user: User | undefined
  /** After a conflict: restarts the form with the saved values. */
  onReload?: (() => void) | undefined
  onClose: () => void
}

function UserForm({ user, onReload, onClose }: UserFormProps) {
  const queryClient = useQueryClient()
  const me = useMe()
  const isNew = user === undefined
  const isOwn = user !== undefined && user.id === me?.id
  const form = useForm<Values>({
    initialValues: readUser(user),
    validate: checkUser(isNew),
    validateInputOnBlur: true,
  })
  const save = async (values: Values) => {
    const body = writeUser(values)
    try {
      if (user === undefined) {
        const { username, password } = values
        await call(createUser, { body: { ...body, username, password } })
      } else {
        await call(editUser, { params: { id: user.id }, body: { ...body, modified: user.modified } })
      }
    } catch (error) {
      if (error instanceof ApiError && error.code === 'changed_meanwhile')
        await queryClient.invalidateQueries({ queryKey: usersQuery.queryKey })
      throw error
    }
    await queryClient.invalidateQueries({ queryKey: usersQuery.queryKey })
  }
  const text = (name: 'username' | 'first_name' | 'last_name' | 'email', maxLength: number) => ({
    maxLength,
    autoComplete: 'off',
    ...form.getInputProps(name),
  })
  return (
    <FormDialog
      title={isNew ? 'New user' : `Edit ${user.username}`}
      form={form}
      save={save}
      done={isNew ? 'User added.' : 'User saved. Changes apply at once.'}
      submitLabel={isNew ? 'Add user' : 'Save'}
      onClose={onClose}
    >
      <Stack gap="md">
        {onReload !== undefined && (
          <Alert color="warning" title="Another user has changed this user">
            <Button variant="default" mt="sm" onClick={onReload}>
              Reload
            </Button>
          </Alert>
        )}
        {isNew && (
          <>
            <TextInput
              label="User name"
              description="Used to sign in. Cannot be changed later."
              data-autofocus
              {...text('username', 150)}
            />
            <NewPasswordField
              label="Password"
              onGenerate={(password) => form.setFieldValue('password', password)}
              {...form.getInputProps('password')}
            />
          </>
        )}
        <div className={classes.names}>
          <TextInput
            label="First name"
            {...(isNew ? {} : { 'data-autofocus': true })}
            {...text('first_name', 150)}
          />
          <TextInput label="Last name" {...text('last_name', 150)} />
        </div>
        <TextInput label="E-mail" inputMode="email" {...text('email', 254)} />
        <RoleField form={form} isOwn={isOwn} />
        {me?.is_superuser === true && (
          <Checkbox
            label="Superuser"
            description={
              isOwn
                ? 'Only another user can change this.'
                : 'Has all permissions and sees all clients, regardless of the role.'
            }
            disabled={isOwn}
            {...form.getInputProps('is_superuser', { type: 'checkbox' })}
          />
        )}
        <Checkbox
          label="Enabled"
          description={isOwn ? 'You cannot block yourself.' : 'Turning it off signs them out immediately.'}
          disabled={isOwn}
          {...form.getInputProps('is_active', { type: 'checkbox' })}
        />
      </Stack>
    </FormDialog>
  )
}
