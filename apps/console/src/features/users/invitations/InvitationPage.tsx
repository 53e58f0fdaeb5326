import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { acceptInvitation, openInvitation } from '@muster/contract/api/invitations'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../../app/api/api.ts'
import { describeError } from '../../../app/api/describe-error.ts'
import { fieldErrors } from '../../../app/api/form-errors.ts'
import { MessagePage } from '../../../app/shell/MessagePage.tsx'
import { usePageTitle } from '../../../app/shell/page-title.ts'
import { ErrorBox, SkeletonRows } from '../../../ui/layout/States.tsx'
import { checkNewPassword, describeMinimum } from '../accounts/NewPasswordField.tsx'
import { useSignIn } from '../sessions/use-sign-in.ts'

/** The page of an invitation's link: `/invitation#<token>`. */
export function InvitationPage() {
  usePageTitle('Invitation')
  const [token] = useState(() => location.hash.slice(1))
  const { data, error } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => call(openInvitation, { body: { token } }),
    retry: false,
    staleTime: Infinity,
    meta: { quiet: true },
  })
  if (error !== null)
    return (
      <MessagePage title="Link not valid">
        <p>{describeError(error).message}</p>
        <Button component={Link} to="/login" variant="default">
          Sign in
        </Button>
      </MessagePage>
    )
  return (
    <MessagePage title="Welcome to Muster">
      {data === undefined ? (
        <SkeletonRows rows={3} />
      ) : (
        <NewUserForm token={token} inviter={data.created_by} minCharacters={data.password_min_length} />
      )}
    </MessagePage>
  )
}

interface NewUserFormProps {
  token: string
  inviter: string
  minCharacters: number
}

function NewUserForm({ token, inviter, minCharacters }: NewUserFormProps) {
  const navigate = useNavigate()
  const { sendPassword } = useSignIn(() => void navigate({ to: '/totp_setup', replace: true }))
  const form = useForm({
    initialValues: { username: '', first_name: '', last_name: '', password: '' },
    validate: {
      username: (name) => (name.trim() === '' ? 'A user name is needed.' : null),
      password: (password) => checkNewPassword(password, minCharacters),
    },
  })
  const accept = useMutation({
    mutationFn: async (values: typeof form.values) => {
      const { username } = await call(acceptInvitation, { body: { ...values, token } })
      await sendPassword({ username, password: values.password })
    },
    meta: { errorsShown: true },
    onError: (error) => form.setErrors(fieldErrors(error, form.getValues())),
  })
  const isAtField = Object.keys(fieldErrors(accept.error, form.getValues())).length > 0
  return (
    <form onSubmit={form.onSubmit((values) => accept.mutate(values))} method="post">
      <Stack gap="md">
        <div>
          <bdi>{inviter}</bdi> has invited you. Choose a name and a password.
        </div>
        {accept.error !== null && !isAtField && <ErrorBox message={describeError(accept.error).message} />}
        <TextInput
          label="User name"
          description="Used to sign in. Cannot be changed later."
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={150}
          autoFocus
          {...form.getInputProps('username')}
        />
        <TextInput label="First name" maxLength={150} {...form.getInputProps('first_name')} />
        <TextInput label="Last name" maxLength={150} {...form.getInputProps('last_name')} />
        <PasswordInput
          label="Password"
          description={describeMinimum(minCharacters)}
          name="new-password"
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
          {...form.getInputProps('password')}
        />
        <Button type="submit" size="sm" loading={accept.isPending}>
          Create account
        </Button>
      </Stack>
    </form>
  )
}
