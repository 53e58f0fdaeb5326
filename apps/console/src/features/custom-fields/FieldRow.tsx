import { ActionIcon } from '@mantine/core'
import type { CustomField } from '@muster/contract/api/custom-fields'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { EditAndDelete, ListRow, RowDetail } from '../../ui/table/ListRows.tsx'
import { describeField } from './field-words.ts'

interface FieldRowProps {
  field: CustomField
  mayManage: boolean
  onEdit: () => void
  onRemove: () => void
  onUp: (() => void) | undefined
  onDown: (() => void) | undefined
}

/** A custom field with what it takes, and what can be done with it. */
export function FieldRow({ field, mayManage, onEdit, onRemove, onUp, onDown }: FieldRowProps) {
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
