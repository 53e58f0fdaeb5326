import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Button } from '@mantine/core'
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { describeError } from '../api/describe-error.ts'
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

export function NotFoundPage() {
  return (
    <MessagePage title="Not found">
      <p>No page exists at this address. Check the link.</p>
      <Button component={Link} to="/">
        Go to the dashboard
      </Button>
    </MessagePage>
  )
}

/** A screen that failed to render. The browser's console has the error. */
export function CrashPage({ error }: ErrorComponentProps) {
  const { message, caption } = describeError(error)
  return (
    <MessagePage title="This screen cannot be shown">
      <p>{message}</p>
      {caption !== undefined && <p>{caption}</p>}
      <Button onClick={() => location.reload()}>Reload</Button>
    </MessagePage>
  )
}
