import type { ReactNode } from 'react'
import classes from './Banner.module.css'

/** A line above the screen, for messages about the whole page. */
export function Banner({
  tone,
  icon,
  children,
}: {
  tone: 'info' | 'warning'
  icon: ReactNode
  children: ReactNode
}) {
  return (
    <div role="status" className={classes.banner} data-tone={tone}>
      {icon}
      {children}
    </div>
  )
}
