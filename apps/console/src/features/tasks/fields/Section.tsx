import { type ReactNode, useId } from 'react'
import classes from './TaskFields.module.css'

/** A part of the form, with its heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="stack">
      <h3 id={id} className={classes.title}>
        {title}
      </h3>
      {children}
    </section>
  )
}
