import { ActionIcon } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './Policies.module.css'

interface ContentLineProps {
  name: string
  more: string
  /** Its status on the machines; absent for unsaved items. */
  status?: ReactNode
  disabled: boolean
  onEdit: () => void
  onRemove: () => void
}

/** A check or a task of a policy. */
export function ContentLine({ name, more, status, disabled, onEdit, onRemove }: ContentLineProps) {
  return (
    <li className={`${classes.line} ${classes.contentLine}`}>
      <p className={classes.contentName}>
        <bdi>{name}</bdi>
      </p>
      <p className={`dim ${classes.contentMore}`}>{more}</p>
      {!disabled && (
        <span className={classes.buttons}>
          <ActionIcon aria-label={`Edit ${name}`} onClick={onEdit}>
            <IconPencil size={16} stroke={1.75} aria-hidden />
          </ActionIcon>
          <ActionIcon aria-label={`Remove ${name}`} onClick={onRemove}>
            <IconTrash size={16} stroke={1.75} aria-hidden />
          </ActionIcon>
        </span>
      )}
      {status !== undefined && <div className={classes.lineStatus}>{status}</div>}
    </li>
  )
}
