import { Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import {
  addPasskey,
  deletePasskey,
  listOwnPasskeys,
  type Passkey,
  renamePasskey,
  startPasskey,
} from '@muster/contract/api/passkeys'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../../app/api/api.ts'
import { meQuery } from '../../../app/api/queries.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { checkProof, ProofField, proofOf } from '../ResetPasswordDialog.tsx'
import { describeBrowser } from '../sessions/describe-browser.ts'
import { createPasskey } from './browser-passkeys.ts'

const checkName = (name: string) => (name.trim() === '' ? 'Enter a name.' : null)
const MAX_NAME_LENGTH = 60

/** Creates a passkey on this device, in exchange for the password or a code. */
export function AddPasskeyDialog({ onClose, onAdded }: { onClose: () => void; onAdded?: () => void }) {
  const refresh = useRefresh()
  const form = useForm({
    initialValues: { name: suggestName(), current_password: '' },
    validate: { name: checkName, current_password: checkProof },
  })
  const save = async ({ name, current_password }: typeof form.values) => {
    const options = await call(startPasskey, { body: proofOf(current_password) })
    await call(addPasskey, { body: { name, ...(await createPasskey(options)) } })
    onAdded?.()
    await refresh()
  }
  return (
    <FormDialog
      title="Add passkey"
      size="sm"
      form={form}
      save={save}
      done="Passkey added."
      submitLabel="Add passkey"
      onClose={onClose}
    >
      <Stack gap="md">
        <div>Your browser asks where to keep the passkey, and for your fingerprint, face or PIN.</div>
        <TextInput
          label="Name"
          description="Where you will find it again"
          maxLength={MAX_NAME_LENGTH}
          {...form.getInputProps('name')}
        />
        <ProofField {...form.getInputProps('current_password')} />
      </Stack>
    </FormDialog>
  )
}

/** `Chrome on Windows`. */
function suggestName(): string {
  return describeBrowser(navigator.userAgent).replace(/ \d+/, '').slice(0, MAX_NAME_LENGTH)
}

interface PasskeyProps {
  passkey: Passkey
  onClose: () => void
}

export function RenamePasskeyDialog({ passkey, onClose }: PasskeyProps) {
  const refresh = useRefresh()
  const form = useForm({ initialValues: { name: passkey.name }, validate: { name: checkName } })
  const save = async (body: { name: string }) => {
    await call(renamePasskey, { params: { id: passkey.id }, body })
    await refresh()
  }
  return (
    <FormDialog
      title="Rename passkey"
      size="sm"
      form={form}
      save={save}
      done="Passkey renamed."
      onClose={onClose}
    >
      <TextInput label="Name" maxLength={MAX_NAME_LENGTH} data-autofocus {...form.getInputProps('name')} />
    </FormDialog>
  )
}

export function DeletePasskeyDialog({ passkey, onClose }: PasskeyProps) {
  const refresh = useRefresh()
  const form = useForm({
    initialValues: { current_password: '' },
    validate: { current_password: checkProof },
  })
  const save = async ({ current_password }: typeof form.values) => {
    await call(deletePasskey, { params: { id: passkey.id }, body: proofOf(current_password) })
    await refresh()
  }
  return (
    <FormDialog
      title="Delete this passkey?"
      size="sm"
      form={form}
      save={save}
      done="Passkey deleted."
      submitLabel="Delete passkey"
      onClose={onClose}
    >
      <Stack gap="md">
        <div>
          <bdi className="strong">{passkey.name}</bdi> no longer signs you in. Your other sessions end.
        </div>
        <ProofField {...form.getInputProps('current_password')} />
      </Stack>
    </FormDialog>
  )
}

function useRefresh(): () => Promise<void> {
  const queryClient = useQueryClient()
  return async () => {
    await queryClient.invalidateQueries({ queryKey: queryKey(listOwnPasskeys) })
    await queryClient.invalidateQueries({ queryKey: meQuery.queryKey })
  }
}
