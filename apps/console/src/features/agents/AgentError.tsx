import { ApiError } from '@muster/contract/client'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { describeError, isRefused } from '../../app/api/describe-error.ts'
import { EmptyState, ErrorState, NoPermission } from '../../ui/layout/States.tsx'

interface AgentErrorProps {
  error: Error
  onRetry: () => void
  /** What one can do when the machine is gone. */
  children?: ReactNode
}

/** Why a machine cannot be shown. */
export function AgentError({ error, onRetry, children }: AgentErrorProps) {
  if (isGone(error)) {
    return (
      <EmptyState message="This machine is not there any more, or you may not see it.">{children}</EmptyState>
    )
  }
  if (isRefused(error)) return <NoPermission message="Your role does not allow you to see machines." />
  return <ErrorState {...describeError(error)} onRetry={onRetry} />
}

/** The same where it is all that is on screen. */
export function AgentPageError(props: Omit<AgentErrorProps, 'children'>) {
  return (
    <AgentError {...props}>
      <Button variant="default" component={Link} to="/">
        Go to the dashboard
      </Button>
    </AgentError>
  )
}

/** What was known of such a machine is not shown any more. 400: the address holds what can be no machine's id. */
export const isGone = (error: Error | null): boolean =>
  error instanceof ApiError && (error.status === 404 || error.status === 400)
