import { ActionIcon, Button, Tooltip } from '@mantine/core'
import type { CustomField } from '@muster/contract/api/custom-fields'
import { IconArrowDown, IconArrowUp, IconTrash } from '@tabler/icons-react'
import classes from './FieldsDialog.module.css'
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
    <li className={classes.row}>
      <div className={classes.text}>
        <bdi className={classes.name}>{name}</bdi>
        <div className={classes.dim}>{describeField(field)}</div>
      </div>
      {mayManage && (
        <div className={classes.actions}>
          <ActionIcon aria-label={`Move ${name} up`} disabled={onUp === undefined} onClick={onUp}>
            <IconArrowUp size={16} stroke={1.75} />
          </ActionIcon>
          <ActionIcon aria-label={`Move ${name} down`} disabled={onDown === undefined} onClick={onDown}>
            <IconArrowDown size={16} stroke={1.75} />
          </ActionIcon>
          <Button variant="default" aria-label={`Edit ${name}`} onClick={onEdit}>
            Edit
          </Button>
          <Tooltip label="Delete">
            <ActionIcon aria-label={`Delete ${name}`} onClick={onRemove}>
              <IconTrash size={16} stroke={1.75} />
            </ActionIcon>
          </Tooltip>
        </div>
      )}
    </li>
  )
}
