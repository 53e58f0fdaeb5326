import { Tabs } from '@mantine/core'
import type { CustomField } from '@muster/contract/api/custom-fields'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { ListDialog, NewButton } from '../../app/dialogs/ListDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/dialogs.tsx'
import { useMay } from '../../app/api/queries.ts'
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
        empty="There are no fields here yet. What they hold is shown with each of them, and scripts can read it."
        create={mayManage && <NewButton onClick={() => openField(`new.${model}`)}>New field</NewButton>}
        frame={(list) => (
          <Tabs value={model} onChange={(next) => openList(modelOf(next ?? undefined))} keepMounted={false}>
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
      >
        {(field, index) => (
          <FieldRow
            key={field.id}
            field={field}
            mayManage={mayManage}
            onEdit={() => openField(field.id)}
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
