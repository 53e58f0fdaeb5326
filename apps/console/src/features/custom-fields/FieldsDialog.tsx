import { ActionIcon, Tabs, Text } from '@mantine/core'
import { type CustomField, deleteCustomField, editCustomField } from '@muster/contract/api/custom-fields'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { ListDialog, NewButton } from '../../app/dialogs/ListDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../app/dialogs/use-dialog.ts'
import { useMay } from '../../app/api/queries.ts'
import { call } from '../../app/api/api.ts'
import { RemoveDialog } from '../../app/dialogs/RemoveDialog.tsx'
import { EditAndDelete, ListRow, RowDetail } from '../../ui/table/ListRows.tsx'
import { describeField, fieldsQuery, modelOf, MODELS } from './field-form.ts'

const TITLE = 'Custom fields'

/** Custom fields of clients, sites and machines; `item` names one of the three. */
export function FieldsDialog({ item, close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_view_customfields" size="lg" onClose={close}>
      <Fields item={item} close={close} />
    </GuardedDialog>
  )
}

function Fields({ item, close }: AddressedDialogProps) {
  const model = modelOf(item)
  const mayManage = useMay('can_manage_customfields')
  const { openRecord } = useRecordAddress('custom-fields', 'custom-field')
  const navigate = useNavigate()
  const showModel = (next: string | null) =>
    void navigate({
      to: '.',
      search: (old) => ({ ...old, item: modelOf(next ?? undefined) }),
      replace: true,
    })
  const fields = useQuery(fieldsQuery)
  const move = useMoveField()
  const [removing, setRemoving] = useState<CustomField>()
  const shown = fields.data?.filter((field) => field.model === model)
  return (
    <>
      <ListDialog
        title={TITLE}
        size="lg"
        onClose={close}
        rows={{ ...fields, data: shown }}
        empty="No fields yet. Fields store extra values that scripts can read."
        create={mayManage && <NewButton onClick={() => openRecord(`new.${model}`)}>New field</NewButton>}
        frame={(list) => (
          <Tabs value={model} onChange={showModel} keepMounted={false}>
            <Tabs.List aria-label="Fields of">
              {MODELS.map((one) => (
                <Tabs.Tab key={one.model} value={one.model}>
                  {one.label}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            <Tabs.Panel value={model} pt="sm">
              {list}
            </Tabs.Panel>
          </Tabs>
        )}
        searchText={({ name }) => name}
      >
        {(field, index) => (
          <FieldRow
            key={field.id}
            field={field}
            mayManage={mayManage}
            onEdit={() => openRecord(field.id)}
            onRemove={() => setRemoving(field)}
            onUp={index === 0 ? undefined : () => move(field, index - 1)}
            onDown={index === (shown?.length ?? 0) - 1 ? undefined : () => move(field, index + 1)}
          />
        )}
      </ListDialog>
      {removing !== undefined && <RemoveField field={removing} onClose={() => setRemoving(undefined)} />}
    </>
  )
}

/** Moves a field to another position in its model. */
function useMoveField(): (field: CustomField, order: number) => void {
  const queryClient = useQueryClient()
  const { mutate } = useMutation({
    mutationFn: ({ id, order }: { id: number; order: number }) =>
      call(editCustomField, { params: { id }, body: { order } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: fieldsQuery.queryKey }),
  })
  return ({ id }, order) => mutate({ id, order })
}

/** Asks before a field is deleted with all its values. */
function RemoveField({ field, onClose }: { field: CustomField; onClose: () => void }) {
  return (
    <RemoveDialog
      title={`Delete ${field.name}?`}
      message={<Text>Deletes the field and all its values. Scripts that use it no longer run.</Text>}
      typed="yes"
      remove={() => call(deleteCustomField, { params: { id: field.id } })}
      done="Field deleted."
      stale={fieldsQuery.queryKey}
      onClose={onClose}
    />
  )
}

interface FieldRowProps {
  field: CustomField
  mayManage: boolean
  onEdit: () => void
  onRemove: () => void
  onUp: (() => void) | undefined
  onDown: (() => void) | undefined
}

/** A custom field with its definition and actions. */
function FieldRow({ field, mayManage, onEdit, onRemove, onUp, onDown }: FieldRowProps) {
  const { name } = field
  return (
    <ListRow
      name={name}
      actions={
        mayManage ? (
          <>
            <ActionIcon aria-label={`Move ${name} up`} disabled={onUp === undefined} onClick={onUp}>
              <IconArrowUp size={16} stroke={1.75} />
            </ActionIcon>
            <ActionIcon aria-label={`Move ${name} down`} disabled={onDown === undefined} onClick={onDown}>
              <IconArrowDown size={16} stroke={1.75} />
            </ActionIcon>
            <EditAndDelete name={name} onEdit={onEdit} onDelete={onRemove} />
          </>
        ) : null
      }
    >
      <RowDetail>{describeField(field)}</RowDetail>
    </ListRow>
  )
}
