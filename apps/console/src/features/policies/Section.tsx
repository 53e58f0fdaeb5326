import { type ReactNode, useId } from 'react'
import classes from './Policies.module.css'

/** A card of a page, with its actions at the right. */
export function Section({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ReactNode
  children: ReactNode
}) {
  const id = useId()
  return (
    <section className={classes.section} aria-labelledby={id}>
      <div className={classes.sectionHead}>
        <h2 id={id} className={classes.sectionTitle}>
          {title}
        </h2>
        {actions}
      </div>
      {children}
    </section>
  )
}
