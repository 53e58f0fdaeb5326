import { createContext, type ReactNode, use } from 'react'
import classes from './Section.module.css'

/** Level of the headings: a name above them may be one too. */
export const SectionHeading = createContext<'h2' | 'h3'>('h2')

interface SectionProps {
  title: string
  /** Beside the title, dim. */
  note?: ReactNode
  /** At the right of the title. */
  tools?: ReactNode
  children: ReactNode
}

/** A part of a page with its heading. */
export function Section({ title, note, tools, children }: SectionProps) {
  const level = use(SectionHeading)
  return (
    <section className={classes.section} aria-label={title}>
      <div className={classes.head}>
        {level === 'h2' ? (
          <h2 className={classes.title}>{title}</h2>
        ) : (
          <h3 className={classes.title}>{title}</h3>
        )}
        {note !== undefined && <span className={classes.note}>{note}</span>}
        {tools !== undefined && <span className={classes.tools}>{tools}</span>}
      </div>
      {children}
    </section>
  )
}
