import { useForm } from '@mantine/form'
import { resetUserPassword, type User } from '@muster/contract/api/accounts'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { call } from '../../../app/api/api.ts'
import { checkNewPassword, NewPasswordField } from './NewPasswordField.tsx'

/** A new password for somebody else, who is signed out. */
export function ResetUserPassword({ user, onClose }: { user: User; onClose: () => void }) {
  const { id, username } = user
  const form = useForm({
    initialValues: { password: '' },
    validateInputOnBlur: true,
    validate: { password: checkNewPassword },
  })
  return (
    <FormDialog
      title={`Reset the password of ${username}`}
      size="sm"
      form={form}
      save={({ password }) => call(resetUserPassword, { body: { id, password } })}
      done="Password changed. The user is signed out everywhere."
      submitLabel="Reset"
      onClose={onClose}
    >
      <NewPasswordField
        label="New password"
        autoFocus
        onGenerate={(password) => form.setFieldValue('password', password)}
        {...form.getInputProps('password')}
      />
    </FormDialog>
  )
}
