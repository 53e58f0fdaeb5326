import { ApiError } from '@muster/contract/client'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { describeError, isRefused } from '../../app/api/describe-error.ts'
import { EmptyState, ErrorState, NoPermission } from '../../ui/layout/States.tsx'

interface AgentErrorProps {
  error: Error
  onRetry: () => void
  /** The way on when the machine no longer exists. */
  children?: ReactNode
}

/** Why a machine cannot be shown. */
export function AgentError({ error, onRetry, children }: AgentErrorProps) {
  if (isGone(error)) {
    return <EmptyState message="Machine not found. You may not have access to it.">{children}</EmptyState>
  }
  if (isRefused(error)) return <NoPermission message="Your role does not allow you to see machines." />
  return <ErrorState {...describeError(error)} onRetry={onRetry} />
}

/** The same on an otherwise empty screen. */
export function AgentPageError(props: Omit<AgentErrorProps, 'children'>) {
  return (
    <AgentError {...props}>
      <Button variant="default" component={Link} to="/">
        Go to the dashboard
      </Button>
    </AgentError>
  )
}

/** Cached data of such a machine is not shown. 400: the address holds an invalid machine id. */
export const isGone = (error: Error | null): boolean =>
  error instanceof ApiError && (error.status === 404 || error.status === 400)
