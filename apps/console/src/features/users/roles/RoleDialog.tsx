import '@mantine/core/styles/Alert.css'
import { Alert, Button, Checkbox, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { isTemplateRole } from '@muster/contract/built-in-roles'
import { createRole, editRole, type Role } from '@muster/contract/api/roles'
import { useState } from 'react'
import { ChangedMeanwhile, RecordDialog } from '../../../app/dialogs/RecordDialog.tsx'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { call } from '../../../app/api/api.ts'
import { type AddressedDialogProps, useRecordAddress } from '../../../app/dialogs/use-dialog.ts'
import { may, useMe } from '../../../app/api/queries.ts'
import { useSaveInto } from '../../../app/dialogs/use-save-into.ts'
import { NoPermission } from '../../../ui/layout/States.tsx'
import { BuiltInRoleDialog } from './BuiltInRoleDialog.tsx'
import { JobApprovalFields } from './JobApprovalFields.tsx'
import { PermissionFields } from './PermissionFields.tsx'
import { RolePreviewDialog } from './RolePreviewDialog.tsx'
import { ScopeFields } from './ScopeFields.tsx'
import {
  checkRole,
  checkTemplateCopy,
  MAX_NAME_LENGTH,
  readCopy,
  readRole,
  type RoleForm as Values,
  rolesQuery,
  writeRole,
} from './role-form.ts'

/** A new role (`new`), an existing one (`3`), or a copy of one (`copy.3`). Closing leads to the roles. */
export function RoleDialog({ item }: AddressedDialogProps) {
  const { openList } = useRecordAddress('roles', 'role')
  const me = useMe()
  const copied = item?.startsWith(COPY) === true ? item.slice(COPY.length) : undefined
  if (me !== undefined && may(me, 'can_manage_accounts') && !me.is_superuser) {
    return (
      <Dialog title="Role" onClose={openList}>
        <NoPermission message="Only superusers can change roles." />
      </Dialog>
    )
  }
  return (
    <RecordDialog
      list={rolesQuery}
      item={copied ?? item}
      title="Role"
      needs="can_manage_accounts"
      gone="This role does not exist any more."
      back="Show roles"
      onClose={openList}
    >
      {(role, onReload) =>
        role === undefined || copied !== undefined ? (
          <RoleForm key={item} role={undefined} source={role} onClose={openList} />
        ) : role.built_in === null ? (
          <RoleForm role={role} onReload={onReload} onClose={openList} />
        ) : (
          <BuiltInRoleDialog role={role} onClose={openList} />
        )
      }
    </RecordDialog>
  )
}

const COPY = 'copy.'

interface RoleFormProps {
  /** The edited role, as it was when the form was opened. */
  role: Role | undefined
  /** The copied role. */
  source?: Role | undefined
  /** After a conflict: restarts the form with the saved values. */
  onReload?: (() => void) | undefined
  onClose: () => void
}

function RoleForm({ role, source, onReload, onClose }: RoleFormProps) {
  const saveInto = useSaveInto(rolesQuery.queryKey)
  const isTemplate = source !== undefined && isTemplateRole(source.built_in)
  const me = useMe()
  const [previewed, setPreviewed] = useState<Values>()
  const isOwn = role !== undefined && me !== undefined && role.users.includes(me.username)
  const form = useForm<Values>({
    initialValues: source === undefined ? readRole(role) : readCopy(source),
    validate: isTemplate ? checkTemplateCopy : checkRole,
    validateInputOnBlur: true,
  })
  const save = async (values: Values) => {
    const body = writeRole(values)
    await saveInto(async () => {
      if (role === undefined) await call(createRole, { body: { ...body, copy_of: source?.id } })
      else await call(editRole, { params: { id: role.id }, body: { ...body, modified: role.modified } })
    })
  }
  const flag = (name: 'is_superuser' | 'totp_required' | 'require_2fa_for_remote') =>
    form.getInputProps(name, { type: 'checkbox' })
  return (
    <>
      <FormDialog
        title={titleOf(role, source)}
        form={form}
        save={save}
        done={role === undefined ? 'Role added.' : 'Role saved. Changes apply at once.'}
        submitLabel={role === undefined ? 'Add role' : 'Save'}
        onClose={onClose}
        mayStayUnchanged={source !== undefined}
        others={
          <Button variant="default" onClick={() => setPreviewed(form.getValues())}>
            Preview
          </Button>
        }
        size="lg"
      >
        <Stack gap="md">
          <ChangedMeanwhile what="this role" onReload={onReload} />
          {isOwn && (
            <Alert color="warning" title="You are editing your own role">
              Removed permissions are gone for you when you save.
            </Alert>
          )}
          <TextInput
            label="Name"
            maxLength={MAX_NAME_LENGTH}
            data-autofocus
            autoComplete="off"
            {...form.getInputProps('name')}
          />
          <Checkbox
            label="Superuser"
            description="Has all permissions, sees all clients, and can change roles."
            {...flag('is_superuser')}
          />
          <Checkbox
            label="Require two-factor sign-in"
            description="Users of the role set it up at the next sign-in."
            {...flag('totp_required')}
          />
          <Checkbox
            label="Ask for a code again before remote tools"
            description="Terminal, desktop and registry need a code from the last ten minutes."
            {...flag('require_2fa_for_remote')}
          />
          <JobApprovalFields form={form} />
          {!form.values.is_superuser && <ScopeFields form={form} />}
          <PermissionFields form={form} />
        </Stack>
      </FormDialog>
      {previewed !== undefined && (
        <RolePreviewDialog role={previewed} onClose={() => setPreviewed(undefined)} />
      )}
    </>
  )
}

function titleOf(role: Role | undefined, source: Role | undefined): string {
  if (role !== undefined) return `Edit ${role.name}`
  return source === undefined ? 'New role' : `Copy ${source.name}`
}
