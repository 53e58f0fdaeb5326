import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './ErrorBox.module.css'

/** The error of a form, announced at once, with a dim line of help. */
export function ErrorBox({ message, caption }: { message: string; caption?: ReactNode }) {
  return (
    <div role="alert" className={classes.box}>
      <IconAlertTriangle size={16} stroke={1.75} aria-hidden className={classes.icon} />
      <div className={classes.text}>
        <div>{message}</div>
        {caption !== undefined && <div className="dim small">{caption}</div>}
      </div>
    </div>
  )
}
