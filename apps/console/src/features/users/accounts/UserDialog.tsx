import { Checkbox, Stack, TextInput } from '@mantine/core'
import { createUser, editUser, type User } from '@muster/contract/api/accounts'
import { useForm } from '@mantine/form'
import { ChangedMeanwhile, RecordDialog } from '../../../app/dialogs/RecordDialog.tsx'
import type { AddressedDialogProps } from '../../../app/dialogs/use-dialog.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { NoPermission } from '../../../ui/layout/States.tsx'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { useSaveInto } from '../../../app/dialogs/use-save-into.ts'
import { call } from '../../../app/api/api.ts'
import { useMe } from '../../../app/api/queries.ts'
import { checkUser, readUser, type UserForm as Values, usersQuery, writeUser } from './user-form.ts'
import { MUST_CHANGE_PASSWORD, NewPasswordField, useMinPasswordLength } from './NewPasswordField.tsx'
import { RoleField } from './RoleField.tsx'
import classes from './Users.module.css'

/** A new user (`new`) or an existing one (`3`). */
export function UserDialog({ item, close }: AddressedDialogProps) {
  return (
    <RecordDialog
      list={usersQuery}
      item={item}
      title="User"
      needs="can_manage_accounts"
      gone="User not found."
      back="Close"
      onClose={close}
    >
      {(user, onReload) =>
        user?.may_change === false ? (
          <Dialog title="User" onClose={close}>
            <NoPermission
              message={`${user.username} has more permissions than you. You cannot edit this user.`}
            />
          </Dialog>
        ) : (
          <UserForm user={user} onReload={onReload} onClose={close} />
        )
      }
    </RecordDialog>
  )
}

interface UserFormProps {
  /** The edited user, as it was when the form was opened. */
  user: User | undefined
  /** After a conflict: restarts the form with the saved values. */
  onReload?: (() => void) | undefined
  onClose: () => void
}

function UserForm({ user, onReload, onClose }: UserFormProps) {
  const saveInto = useSaveInto(usersQuery.queryKey)
  const me = useMe()
  const isNew = user === undefined
  const isOwn = user !== undefined && user.id === me?.id
  const form = useForm<Values>({
    initialValues: readUser(user),
    validate: checkUser(isNew, useMinPasswordLength()),
    validateInputOnBlur: true,
  })
  const save = async (values: Values) => {
    const body = writeUser(values)
    await saveInto(async () => {
      if (user === undefined) {
        const { username, password } = values
        const needed = values.block_dashboard_login ? {} : { password }
        await call(createUser, { body: { ...body, username, ...needed } })
      } else {
        await call(editUser, { params: { id: user.id }, body: { ...body, modified: user.modified } })
      }
    })
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
        <ChangedMeanwhile what="this user" onReload={onReload} />
        {isNew && (
          <>
            <TextInput
              label="User name"
              description="Used to sign in. Cannot be changed later."
              data-autofocus
              {...text('username', 150)}
            />
            {!form.values.block_dashboard_login && (
              <NewPasswordField
                label="Password"
                onGenerate={(password) => form.setFieldValue('password', password)}
                {...form.getInputProps('password')}
              />
            )}
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
          label="For programs only"
          description={
            isOwn
              ? 'You cannot block your own sign-in.'
              : 'API keys work. Signing in to the console does not.'
          }
          disabled={isOwn}
          {...form.getInputProps('block_dashboard_login', { type: 'checkbox' })}
        />
        {!form.values.block_dashboard_login && (
          <Checkbox
            label={MUST_CHANGE_PASSWORD}
            description="API keys of the user keep working."
            {...form.getInputProps('must_change_password', { type: 'checkbox' })}
          />
        )}
        <Checkbox
          label="Enabled"
          description={
            isOwn
              ? 'You cannot block yourself.'
              : 'Turning it off signs them out and deletes their deployments.'
          }
          disabled={isOwn}
          {...form.getInputProps('is_active', { type: 'checkbox' })}
        />
      </Stack>
    </FormDialog>
  )
}
