import { Anchor, Button, Group, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useSavedForm } from '../../../app/dialogs/FormDialog.tsx'
import { useMe } from '../../../app/api/queries.ts'
import { MessagePage } from '../../../app/shell/MessagePage.tsx'
import { useOwnPassword } from '../ResetPasswordDialog.tsx'
import { useOpenNext } from './use-open-next.ts'

/** The only page of a user who must change the password. */
export function ChangePasswordPage() {
  const { form, save, fields } = useOwnPassword()
  const me = useMe()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const openNext = useOpenNext()
  const leave = async () => {
    // Requests that were refused until now succeed.
    await queryClient.invalidateQueries()
    if (me?.totp === false && me.passkeys === 0) await navigate({ to: '/totp_setup', replace: true })
    else await openNext()
  }
  const done = 'Password changed. Your other sessions have ended.'
  const { element, error, canSave, isPending } = useSavedForm({ form, save, done }, () => void leave())
  return (
    <MessagePage title="Change your password">
      <p>An administrator requires a new password before you continue.</p>
      <form {...element}>
        {error}
        <Stack gap="md">
          {fields}
          <Group justify="space-between">
            <Button type="submit" size="sm" disabled={!canSave} loading={isPending}>
              Change password
            </Button>
            <Anchor component={Link} to="/expired" c="dimmed" size="sm">
              Sign out
            </Anchor>
          </Group>
        </Stack>
      </form>
    </MessagePage>
  )
}
