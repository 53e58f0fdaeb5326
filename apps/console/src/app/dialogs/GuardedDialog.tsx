import type { Permission } from '@muster/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Dialog, type DialogProps } from '../../ui/dialog/Dialog.tsx'
import { ErrorState, NoPermission, SkeletonRows } from '../../ui/layout/States.tsx'
import { describeError, isRefused } from '../api/describe-error.ts'
import { may, meQuery } from '../api/queries.ts'

interface GuardedDialogProps {
  title: string
  needs: Permission
  onClose: () => void
  size?: DialogProps['size']
  children: ReactNode
}

/** A dialog that anybody can open by its address. Without the permission it shows the refusal. */
export function GuardedDialog({ title, needs, onClose, size, children }: GuardedDialogProps) {
  const { data: me, error, refetch } = useQuery(meQuery)
  if (me !== undefined && may(me, needs)) return children
  return (
    <StateDialog
      title={title}
      onClose={onClose}
      size={size}
      error={error}
      refused={me !== undefined}
      onRetry={() => void refetch()}
    />
  )
}

interface StateDialogProps {
  title: string
  onClose: () => void
  size?: DialogProps['size'] | undefined
  /** The load error; null while loading. */
  error: unknown
  refused?: boolean
  onRetry: () => void
}

/** A dialog whose content is loading, failed to load or is not allowed. */
export function StateDialog({ title, onClose, size, error, refused = false, onRetry }: StateDialogProps) {
  return (
    <Dialog title={title} onClose={onClose} {...(size === undefined ? {} : { size })}>
      <LoadingState error={error} refused={refused} onRetry={onRetry} />
    </Dialog>
  )
}

/** The placeholder for missing content: skeleton, refusal or error. */
export function LoadingState({
  error,
  refused = false,
  onRetry,
  rows = 4,
}: {
  error: unknown
  refused?: boolean
  onRetry: () => void
  rows?: number
}) {
  if (refused) return <NoPermission message="Your role does not allow this action." />
  if (isRefused(error)) return <NoPermission />
  if (error === null) return <SkeletonRows rows={rows} />
  return <ErrorState {...describeError(error)} onRetry={onRetry} />
}
