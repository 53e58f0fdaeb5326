import { Button, Tabs } from '@mantine/core'
import type { CustomField } from '@muster/contract/api/custom-fields'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { GuardedDialog, LoadingState } from '../../app/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs.tsx'
import { useMay } from '../../app/queries.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { ListRows } from '../../ui/ListRows.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { FieldRow } from './FieldRow.tsx'
import { RemoveField } from './RemoveField.tsx'
import { MODELS, modelOf } from './field-words.ts'
import { fieldsQuery } from './fields-query.ts'
import { useFieldAddress } from './use-field-address.ts'
import { useMoveField } from './use-move-field.ts'

const TITLE = 'Custom fields'

/** What clients, sites and machines can be given beside their own properties; `item` names one of the three. */
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
  const { openField, openList } = useFieldAddress()
  const { data, error, refetch } = useQuery(fieldsQuery)
  const move = useMoveField()
  const [removing, setRemoving] = useState<CustomField>()
  const shown = data?.filter((field) => field.model === model) ?? []
  const add = (
    <Button
      leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
      onClick={() => openField(`new.${model}`)}
    >
      New field
    </Button>
  )
  return (
    <>
      <Dialog
        title={TITLE}
        size="lg"
        onClose={close}
        footer={
          <>
            <Button variant="default" onClick={close} data-autofocus>
              Close
            </Button>
            {mayManage && shown.length > 0 && add}
          </>
        }
      >
        <Tabs value={model} onChange={(next) => openList(modelOf(next ?? undefined))} keepMounted={false}>
          <Tabs.List aria-label="Fields of">
            {MODELS.map((one) => (
              <Tabs.Tab key={one.model} value={one.model}>
                {one.label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={model} pt="sm">
            {data === undefined ? (
              <LoadingState error={error} onRetry={() => void refetch()} rows={3} />
            ) : shown.length === 0 ? (
              <EmptyState message="There are no fields here yet. What they hold is shown with each of them, and scripts can read it.">
                {mayManage && add}
              </EmptyState>
            ) : (
              <ListRows label={TITLE}>
                {shown.map((field, index) => (
                  <FieldRow
                    key={field.id}
                    field={field}
                    mayManage={mayManage}
                    onEdit={() => openField(field.id)}
                    onRemove={() => setRemoving(field)}
                    onUp={index === 0 ? undefined : () => move(field, index - 1)}
                    onDown={index === shown.length - 1 ? undefined : () => move(field, index + 1)}
                  />
                ))}
              </ListRows>
            )}
          </Tabs.Panel>
        </Tabs>
      </Dialog>
      {removing !== undefined && <RemoveField field={removing} onClose={() => setRemoving(undefined)} />}
    </>
  )
}
