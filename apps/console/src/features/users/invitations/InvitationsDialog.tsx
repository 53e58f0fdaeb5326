import { Button, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import {
  createInvitation,
  deleteInvitation,
  type Invitation,
  INVITATION_HOURS,
  listInvitations,
} from '@muster/contract/api/invitations'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query } from '../../../app/api/api.ts'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { GuardedDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { ListDialog, NewButton } from '../../../app/dialogs/ListDialog.tsx'
import { RemoveDialog } from '../../../app/dialogs/RemoveDialog.tsx'
import type { AddressedDialogProps } from '../../../app/dialogs/use-dialog.ts'
import { useSaveInto } from '../../../app/dialogs/use-save-into.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { CopyBox } from '../../../ui/inputs/CopyBox.tsx'
import { Time } from '../../../ui/layout/Time.tsx'
import { ListRow, RowDetail } from '../../../ui/table/ListRows.tsx'
import { roleOptions, rolesQuery } from '../roles/role-form.ts'

const TITLE = 'Invitations'
const invitationsQuery = query(listInvitations, {})

/** Invitations that nobody has accepted, and new ones (`new`). */
export function InvitationsDialog({ item, close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_manage_accounts" onClose={close}>
      <Invitations isNew={item === 'new'} close={close} />
    </GuardedDialog>
  )
}

function Invitations({ isNew, close }: { isNew: boolean; close: () => void }) {
  const rows = useQuery(invitationsQuery)
  const [isInviting, setInviting] = useState(isNew)
  const [link, setLink] = useState<string>()
  const [revoking, setRevoking] = useState<Invitation>()
  return (
    <>
      <ListDialog
        title={TITLE}
        onClose={close}
        rows={rows}
        searchText={({ email, role_name, created_by }) => `${email}\n${role_name}\n${created_by}`}
        empty="No open invitations. A link lets a colleague set name and password."
        create={<NewButton onClick={() => setInviting(true)}>Invite user</NewButton>}
      >
        {(invitation) => (
          <ListRow
            key={invitation.id}
            name={nameOf(invitation)}
            actions={
              <Button
                variant="default"
                aria-label={`Revoke ${nameOf(invitation)}`}
                onClick={() => setRevoking(invitation)}
              >
                Revoke
              </Button>
            }
          >
            <RowDetail>
              <bdi>{invitation.role_name}</bdi> · by <bdi>{invitation.created_by}</bdi> · works until{' '}
              <Time instant={invitation.expires} />
            </RowDetail>
          </ListRow>
        )}
      </ListDialog>
      {isInviting && <NewInvitation onMade={setLink} onClose={() => setInviting(false)} />}
      {link !== undefined && <ShownLink link={link} onClose={() => setLink(undefined)} />}
      {revoking !== undefined && (
        <RemoveDialog
          title="Revoke this invitation?"
          message={<Text>The link of this invitation stops at once.</Text>}
          remove={() => call(deleteInvitation, { params: { id: revoking.id } })}
          done="Invitation revoked."
          stale={invitationsQuery.queryKey}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </>
  )
}

const nameOf = ({ email, id }: Invitation) => (email === '' ? `Invitation ${id}` : email)

function NewInvitation({ onMade, onClose }: { onMade: (link: string) => void; onClose: () => void }) {
  const saveInto = useSaveInto(invitationsQuery.queryKey)
  const { data: roles } = useQuery(rolesQuery)
  const form = useForm<{ role: string | null; email: string }>({
    initialValues: { role: null, email: '' },
    validate: { role: (role) => (role === null ? 'Choose a role.' : null) },
  })
  const save = ({ role, email }: { role: string | null; email: string }) =>
    saveInto(async () => {
      const { token } = await call(createInvitation, { body: { role: Number(role), email } })
      onMade(`${location.origin}/invitation#${token}`)
    })
  return (
    <FormDialog
      title="Invite user"
      size="sm"
      form={form}
      save={save}
      done="Link created."
      submitLabel="Create link"
      onClose={onClose}
    >
      <Stack gap="md">
        <Select
          label="Role"
          description={
            roles?.length === 0
              ? 'No roles yet. Create them in Settings > Roles.'
              : 'Permissions and visible clients of the user'
          }
          data={roleOptions(roles)}
          searchable
          nothingFoundMessage="No matching role"
          comboboxProps={{ withinPortal: true }}
          data-autofocus
          {...form.getInputProps('role')}
        />
        <TextInput
          label="E-mail"
          description="Optional. The link is not sent: copy it to the user."
          inputMode="email"
          autoComplete="off"
          maxLength={254}
          {...form.getInputProps('email')}
        />
      </Stack>
    </FormDialog>
  )
}

function ShownLink({ link, onClose }: { link: string; onClose: () => void }) {
  return (
    <Dialog title="Send this link" onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <Stack gap="md">
        <div>The link works once, within {INVITATION_HOURS} hours, and is not shown again.</div>
        <CopyBox label="Invitation link" text={link} copyLabel="Copy link" autoFocus />
      </Stack>
    </Dialog>
  )
}
