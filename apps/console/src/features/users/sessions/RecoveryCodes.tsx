import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { createRecoveryCodes, RECOVERY_CODE_COUNT } from '@muster/contract/api/sessions'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { call } from '../../../app/api/api.ts'
import { meQuery } from '../../../app/api/queries.ts'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../../app/dialogs/use-dialog.ts'
import { useSession } from '../../../app/session/session.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { copyText } from '../../../ui/inputs/CopyText.tsx'
import { saveFile } from '../../../ui/inputs/save-file.ts'
import { EmptyState } from '../../../ui/layout/States.tsx'
import classes from './RecoveryCodes.module.css'

/** How many recovery codes are left, and new ones in exchange for the password. */
export function RecoveryCodesDialog({ close }: AddressedDialogProps) {
  const [codes, setCodes] = useState<readonly string[]>()
  const { data: me, error, refetch } = useQuery(meQuery)
  if (codes !== undefined) return <NewCodes codes={codes} close={close} />
  if (me?.totp === true) return <CreateCodes left={me.recovery_codes} onCreated={setCodes} close={close} />
  return (
    <Dialog title={TITLE} size="sm" onClose={close}>
      {me === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={2} />
      ) : (
        <EmptyState message="Recovery codes belong to two-factor sign-in, which is not set up.">
          <Button component={Link} to="/totp_setup" data-autofocus>
            Set up two-factor
          </Button>
        </EmptyState>
      )}
    </Dialog>
  )
}

const TITLE = 'Recovery codes'

function CreateCodes({
  left,
  onCreated,
  close,
}: {
  left: number
  onCreated: (codes: readonly string[]) => void
  close: () => void
}) {
  const { user_name } = useSession()
  const form = useForm({
    initialValues: { current_password: '' },
    validate: { current_password: (text) => (text === '' ? 'Enter your current password.' : null) },
  })
  const made = useRef<readonly string[]>(undefined)
  const save = async (body: { current_password: string }) => {
    made.current = (await call(createRecoveryCodes, { body })).recovery_codes
  }
  return (
    <FormDialog
      title={TITLE}
      size="sm"
      form={form}
      save={save}
      done="Recovery codes created."
      submitLabel="Create new codes"
      onClose={() => (made.current === undefined ? close() : onCreated(made.current))}
    >
      <Stack gap="md">
        <div>
          <strong>{describeLeft(left)}</strong> Each signs you in once, without the authenticator app. New
          codes replace the old ones.
        </div>
        {/* Password managers find the account by it. */}
        <input type="text" name="username" autoComplete="username" value={user_name ?? ''} readOnly hidden />
        <PasswordInput
          label="Current password"
          name="current-password"
          autoComplete="current-password"
          data-autofocus
          visibilityToggleButtonProps={{ 'aria-label': 'Show current password' }}
          {...form.getInputProps('current_password')}
        />
      </Stack>
    </FormDialog>
  )
}

function describeLeft(left: number): string {
  if (left === 0) return 'No recovery codes left.'
  return `${left} of ${RECOVERY_CODE_COUNT} recovery codes left.`
}

function NewCodes({ codes, close }: { codes: readonly string[]; close: () => void }) {
  return (
    <Dialog
      title="Save your recovery codes"
      size="sm"
      onClose={close}
      footer={
        <Button data-autofocus onClick={close}>
          Close
        </Button>
      }
    >
      <Stack gap="md">
        <div>Codes are not shown again. The old ones no longer work.</div>
        <RecoveryCodeList codes={codes} />
      </Stack>
    </Dialog>
  )
}

/** The codes, and ways to keep them. */
export function RecoveryCodeList({ codes }: { codes: readonly string[] }) {
  const { user_name } = useSession()
  const [isCopied, setCopied] = useState(false)
  const text = codes.join('\n')
  return (
    <Stack gap="sm">
      <ul className={classes.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="sm">
        <Button
          variant="default"
          onClick={({ currentTarget }) => void copyText(text, currentTarget).then(setCopied)}
        >
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
        <Button
          variant="default"
          onClick={() =>
            saveFile(
              `muster-recovery-codes-${user_name ?? 'user'}.txt`,
              `Muster recovery codes of ${user_name ?? ''} at ${location.origin}\nEach works once.\n\n${text}\n`,
            )
          }
        >
          Download
        </Button>
        <Button variant="default" onClick={() => window.print()}>
          Print
        </Button>
      </Group>
    </Stack>
  )
}
