import { Button, Group } from '@mantine/core'
import { type Session, endSession, listOwnSessions, logoutAll } from '@muster/contract/api/sessions'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call, query } from '../../app/api.ts'
import { queryKey } from '../../app/query-key.ts'
import type { AddressedDialogProps } from '../../app/dialogs.tsx'
import { describeError } from '../../app/describe-error.ts'
import { notifyDone } from '../../app/notify.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../../ui/States.tsx'
import { Time } from '../../ui/Time.tsx'
import classes from './SessionsDialog.module.css'
import { describeBrowser } from './describe-browser.ts'

/** The user's own sessions: where one is signed in, and a way to end each. */
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
          message="Every browser that is signed in as you is signed out, this one too."
          confirmLabel="End all"
          danger
          busy={endAll.isPending}
          onConfirm={() => endAll.mutate()}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

/** No event tells of a new sign-in elsewhere; while somebody looks, the list is asked for this often. */
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
  if (sessions.length === 0) return <EmptyState message="No session is open." />
  const ordered = sessions.toSorted(
    (a, b) => Number(b.current) - Number(a.current) || b.last_used.localeCompare(a.last_used),
  )
  return (
    <ul className={classes.list}>
      {ordered.map((session) => (
        <SessionRow key={session.digest} session={session} />
      ))}
    </ul>
  )
}

function SessionRow({ session }: { session: Session }) {
  const queryClient = useQueryClient()
  const end = useMutation({
    mutationFn: () => call(endSession, { params: { digest: session.digest } }),
    onSuccess: async () => {
      notifyDone('Session ended.')
      await queryClient.invalidateQueries({ queryKey: queryKey(listOwnSessions) })
    },
  })
  return (
    <li className={classes.row}>
      <div className={classes.text}>
        <div className={classes.name}>
          {describeBrowser(session.user_agent)}
          {session.current && <span className={classes.current}>this session</span>}
        </div>
        <div className={classes.dim}>
          <span className="mono">{session.source}</span> · signed in <Time instant={session.created} /> · last
          used <Time instant={session.last_used} relative /> · ends <Time instant={session.expiry} />
        </div>
      </div>
      {!session.current && (
        <Group gap="xs" wrap="nowrap">
          <Button variant="default" loading={end.isPending} onClick={() => end.mutate()}>
            End
          </Button>
        </Group>
      )}
    </li>
  )
}
