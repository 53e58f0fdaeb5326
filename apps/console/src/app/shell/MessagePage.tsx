import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import classes from './MessagePage.module.css'

/** A page outside the frame: one message or one short form in the middle. */
export function MessagePage({
  title,
  children,
  wide = false,
}: {
  title: string
  children: ReactNode
  wide?: boolean
}) {
  useDocumentTitle(`${title} · Muster`)
  return (
    <main className={classes.page}>
      <div className={classes.brand}>
        <img src="/favicon.svg" width={28} height={28} alt="" />
        <span>Muster</span>
      </div>
      <div className={classes.card} data-wide={wide || undefined}>
        <h1 className={classes.title}>{title}</h1>
        {children}
      </div>
    </main>
  )
}
