import { Button, Group } from '@mantine/core'
import { type Session, endSession } from '@muster/contract/api/sessions'
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../app/api/api.ts'
import { notifyDone } from '../../../app/shell/notify.ts'
import { Time } from '../../../ui/layout/Time.tsx'
import classes from './SessionsDialog.module.css'
import { describeBrowser } from './describe-browser.ts'

/** One session. `stale`: query key of its list. */
export function SessionRow({ session, stale }: { session: Session; stale: QueryKey }) {
  const queryClient = useQueryClient()
  const end = useMutation({
    mutationFn: () => call(endSession, { params: { digest: session.digest } }),
    onSuccess: async () => {
      notifyDone('Session ended.')
      await queryClient.invalidateQueries({ queryKey: stale })
    },
  })
  return (
    <li className={classes.row}>
      <div className={classes.text}>
        <div className="strong">
          {describeBrowser(session.user_agent)}
          {session.current && <span className={classes.current}>this session</span>}
        </div>
        <div className="dim small">
          <span className="mono">{session.source}</span> · signed in <Time instant={session.created} /> · last
          used <Time instant={session.last_used} relative /> · ends <Time instant={session.expiry} />
        </div>
      </div>
      {!session.current && (
        <Group gap="xs" wrap="nowrap">
          <Button variant="default" loading={end.isPending} onClick={() => end.mutate()}>
            End session
          </Button>
        </Group>
      )}
    </li>
  )
}
