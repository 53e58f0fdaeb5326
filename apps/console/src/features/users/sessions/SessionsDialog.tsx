import { Button } from '@mantine/core'
import { listOwnSessions, logoutAll } from '@muster/contract/api/sessions'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call, query } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import type { AddressedDialogProps } from '../../../app/dialogs/use-dialog.ts'
import { describeError } from '../../../app/api/describe-error.ts'
import { ConfirmDialog } from '../../../ui/dialog/ConfirmDialog.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../../ui/layout/States.tsx'
import classes from './SessionsDialog.module.css'
import { SessionRow } from './SessionRow.tsx'

/** The user's own sessions, with buttons to end them. */
export function SessionsDialog({ close }: AddressedDialogProps) {
  const [asking, setAsking] = useState(false)
  const navigate = useNavigate()
  const endAll = useMutation({
    mutationFn: () => call(logoutAll, {}),
    onSuccess: () => void navigate({ to: '/expired' }),
  })
  return (
    <>
      <Dialog
        title="Sessions"
        size="lg"
        onClose={close}
        footer={
          <>
            <Button variant="subtle" color="negative" onClick={() => setAsking(true)}>
              End all sessions
            </Button>
            <Button variant="default" onClick={close} data-autofocus>
              Close
            </Button>
          </>
        }
      >
        <SessionList />
      </Dialog>
      {asking && (
        <ConfirmDialog
          title="End all sessions?"
          message="Signs you out in every browser, including this one."
          confirmLabel="End all sessions"
          danger
          busy={endAll.isPending}
          onConfirm={() => endAll.mutate()}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

/** No live event reports the last use of a session; an open dialog polls the list. */
const REFRESH_MS = 3_000

function SessionList() {
  const {
    data: sessions,
    error,
    refetch,
  } = useQuery({
    ...query(listOwnSessions, {}),
    staleTime: 0,
    refetchInterval: REFRESH_MS,
    meta: { quiet: true },
  })
  if (error !== null && sessions === undefined) {
    return <ErrorState {...describeError(error)} onRetry={() => void refetch()} />
  }
  if (sessions === undefined) return <SkeletonRows rows={3} height={56} />
  if (sessions.length === 0) return <EmptyState message="No active sessions" />
  const ordered = sessions.toSorted(
    (a, b) => Number(b.current) - Number(a.current) || b.last_used.localeCompare(a.last_used),
  )
  return (
    <ul className={classes.list}>
      {ordered.map((session) => (
        <SessionRow key={session.digest} session={session} stale={queryKey(listOwnSessions)} />
      ))}
    </ul>
  )
}
