import type { ReactNode } from 'react'
import classes from './PageHeader.module.css'

/** Title of a page or of a full-window dialog, with what can be done at its right. */
export function PageHeader({
  title,
  note,
  children,
}: {
  title: ReactNode
  note?: ReactNode
  children?: ReactNode
}) {
  return (
    <header className={classes.header}>
      <h1 className={classes.title}>{title}</h1>
      {note !== undefined && <span className={classes.note}>{note}</span>}
      {children !== undefined && <div className={classes.actions}>{children}</div>}
    </header>
  )
}
