import { Button, Loader, Skeleton } from '@mantine/core'
import { IconAlertTriangle, IconLock } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { LOADING_DELAY_MS } from '@muster/rules/text/layout'
import classes from './States.module.css'

/** The empty state: one sentence, and one action that changes it. */
export function EmptyState({ message, children }: { message: ReactNode; children?: ReactNode }) {
  return (
    <div className={classes.state}>
      <p className={classes.message}>{message}</p>
      {children}
    </div>
  )
}

/** A failed load: the error, a retry button, and the request id. */
export function ErrorState({
  message,
  caption,
  onRetry,
}: {
  message: string
  caption?: string | undefined
  onRetry?: (() => void) | undefined
}) {
  return (
    <div className={classes.state} role="alert">
      <p className={classes.message}>
        <IconAlertTriangle size={16} stroke={1.75} aria-hidden className={classes.negative} />
        {message}
      </p>
      {caption !== undefined && <p className={classes.caption}>{caption}</p>}
      {onRetry && (
        <Button variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** The role does not allow it: shown in place of the content. */
export function NoPermission({
  message = 'Your role does not allow you to see this.',
}: {
  message?: string
}) {
  return (
    <div className={classes.state}>
      <p className={classes.message}>
        <IconLock size={16} stroke={1.75} aria-hidden className={classes.dim} />
        {message}
      </p>
      <p className={classes.caption}>Ask an administrator if you need it.</p>
    </div>
  )
}

/** Skeleton rows for a list that is loading; shown only when it takes longer than `delayMs`. */
export function SkeletonRows({
  rows = 8,
  height = 32,
  delayMs = 50,
}: {
  rows?: number
  height?: number
  delayMs?: number
}) {
  const shown = useDelayed(delayMs)
  return (
    <div role="status" aria-label="Loading" className={classes.skeleton}>
      {shown &&
        Array.from({ length: rows }, (_, row) => (
          <div key={row} style={{ height }} className={classes.row}>
            <Skeleton height={10} width={`${30 + ((row * 37) % 50)}%`} />
          </div>
        ))}
    </div>
  )
}

/** False at first, true after `delayMs`: fast actions do not flash. */
function useDelayed(delayMs: number): boolean {
  const [passed, setPassed] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setPassed(true), delayMs)
    return () => clearTimeout(timer)
  }, [delayMs])
  return passed
}

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

/** Covers the page during an action that must not be interrupted; only when it takes longer than 50 ms. */
export function BusyOverlay({ message }: { message?: string }) {
  const shown = useDelayed(LOADING_DELAY_MS)
  if (!shown) return null
  return (
    <div className={classes.overlay} role="status">
      <Loader />
      <span>{message ?? 'Please wait …'}</span>
    </div>
  )
}
