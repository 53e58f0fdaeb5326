import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './ListRows.module.css'

/** A short list of items in a dialog, each with its actions. */
export function ListRows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={classes.list} aria-label={label}>
      {children}
    </ul>
  )
}

interface ListRowProps {
  name: ReactNode
  /** Before the name, for example a switch. */
  before?: ReactNode
  /** Beside the name. */
  beside?: ReactNode
  actions: ReactNode
  /** For more than a line or two below the name. */
  tall?: boolean
  /** Below the name. */
  children?: ReactNode
}

/** One item of a list, with its name in bold. */
export function ListRow({ name, before, beside, actions, tall = false, children }: ListRowProps) {
  return (
    <li className={classes.row} data-tall={tall || undefined}>
      {before}
      <div className={classes.text}>
        <div className={classes.head}>
          <bdi className="strong">{name}</bdi>
          {beside}
        </div>
        {children}
      </div>
      {actions !== null && <div className={classes.actions}>{actions}</div>}
    </li>
  )
}

/** A line about the item, smaller and paler than its name. */
export function RowDetail({ children }: { children: ReactNode }) {
  return <div className="dim small">{children}</div>
}

interface EditAndDeleteProps {
  name: string
  editLabel?: string
  onEdit: () => void
  onDelete: () => void
}

/** The actions that most items have. */
export function EditAndDelete({ name, editLabel = 'Edit', onEdit, onDelete }: EditAndDeleteProps) {
  return (
    <>
      <Button variant="default" aria-label={`${editLabel} ${name}`} onClick={onEdit} data-edit>
        {editLabel}
      </Button>
      <DeleteButton name={name} onDelete={onDelete} />
    </>
  )
}

export function DeleteButton({ name, onDelete }: Pick<EditAndDeleteProps, 'name' | 'onDelete'>) {
  return (
    <Tooltip label="Delete">
      <ActionIcon aria-label={`Delete ${name}`} onClick={onDelete}>
        <IconTrash size={16} stroke={1.75} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
