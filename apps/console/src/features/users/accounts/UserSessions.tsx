import { Button } from '@mantine/core'
import type { User } from '@muster/contract/api/accounts'
import { endUserSessions, listUserSessions } from '@muster/contract/api/sessions'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { call, query } from '../../../app/api/api.ts'
import { notifyDone } from '../../../app/shell/notify.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../../ui/layout/States.tsx'
import { SessionRow } from '../sessions/SessionRow.tsx'
import classes from './Users.module.css'

/** Where a user is signed in, and a way to end each session or all. */
export function UserSessions({ user, onClose }: { user: User; onClose: () => void }) {
  const queryClient = useQueryClient()
  const sessions = query(listUserSessions, { params: { id: user.id } })
  const { data, error, refetch } = useQuery({ ...sessions, staleTime: 0 })
  const endAll = useMutation({
    mutationFn: () => call(endUserSessions, { params: { id: user.id } }),
    onSuccess: async () => {
      notifyDone('All sessions ended.')
      await queryClient.invalidateQueries({ queryKey: sessions.queryKey })
    },
  })
  const isAny = data !== undefined && data.length > 0
  return (
    <Dialog
      title={`Sessions of ${user.username}`}
      size="lg"
      onClose={onClose}
      footer={
        <>
          {isAny && (
            <Button
              variant="subtle"
              color="negative"
              loading={endAll.isPending}
              onClick={() => endAll.mutate()}
            >
              End all sessions
            </Button>
          )}
          <Button variant="default" onClick={onClose} data-autofocus>
            Close
          </Button>
        </>
      }
    >
      {data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={2} />
      ) : isAny ? (
        <ul className={classes.list}>
          {data.map((session) => (
            <SessionRow key={session.digest} session={session} stale={sessions.queryKey} />
          ))}
        </ul>
      ) : (
        <EmptyState message="This user is signed in nowhere." />
      )}
    </Dialog>
  )
}
