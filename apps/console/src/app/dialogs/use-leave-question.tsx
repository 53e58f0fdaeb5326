import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ConfirmDialog } from '../../ui/dialog/ConfirmDialog.tsx'

// Ending the session must not be blocked by the question.
const FORCED_PATHS = new Set(['/expired', '/login', '/totp_setup'])

/**
 * Asks before a dialog or page with changes is left, in any way. On a page, dialogs may open and close. Returns the
 * question to draw, while there is one.
 */
export function useLeaveQuestion(hasChanges: () => boolean, of: 'dialog' | 'page' = 'dialog'): ReactNode {
  const leave = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      hasChanges() && !FORCED_PATHS.has(next.pathname) && !isSame[of](current, next),
    enableBeforeUnload: hasChanges,
    withResolver: true,
  })
  if (leave.status !== 'blocked') return null
  return <DiscardDialog onConfirm={leave.proceed} onClose={leave.reset} />
}

/** The question itself, for leaving without a change of the address. */
export function DiscardDialog(answers: { onConfirm: () => void; onClose: () => void }) {
  return (
    <ConfirmDialog
      title="Discard your changes?"
      message="You have unsaved changes."
      confirmLabel="Discard"
      danger
      {...answers}
    />
  )
}

interface RouteLocation {
  pathname: string
  search: unknown
}

const isSame = {
  page: (current: RouteLocation, next: RouteLocation) => current.pathname === next.pathname,
  dialog: (current: RouteLocation, next: RouteLocation) =>
    isSame.page(current, next) && dialogOf(current.search) === dialogOf(next.search),
}

function dialogOf(search: unknown): unknown {
  return typeof search === 'object' && search !== null && 'dialog' in search ? search.dialog : undefined
}
