import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { MessagePage } from '../../app/shell/MessagePage.tsx'
import { describeError, isRefused } from '../../app/api/describe-error.ts'
import { clientsQuery, dashInfoQuery, meQuery, may } from '../../app/api/queries.ts'
import { ErrorState, NoPermission, SkeletonRows } from '../../ui/layout/States.tsx'
import { SetupForm } from './SetupForm.tsx'

/** The first client and site; once that is done, the page only says so. */
export function InitialSetupPage() {
  const info = useQuery(dashInfoQuery)
  const me = useQuery(meQuery)
  const clients = useQuery(clientsQuery)
  const error = info.error ?? me.error ?? clients.error
  if (error !== null) {
    const retry = () => void Promise.all([info.refetch(), me.refetch(), clients.refetch()])
    return (
      <MessagePage title="Initial setup">
        {isRefused(error) ? <NoPermission /> : <ErrorState {...describeError(error)} onRetry={retry} />}
      </MessagePage>
    )
  }
  if (info.data === undefined || me.data === undefined || clients.data === undefined) {
    return (
      <MessagePage title="Initial setup">
        <SkeletonRows rows={4} />
      </MessagePage>
    )
  }
  if (clients.data.length > 0) {
    return (
      <MessagePage title="Initial setup">
        <p>The initial setup is done. More clients are added from the dashboard.</p>
        <Button component={Link} to="/" size="sm">
          Go to the dashboard
        </Button>
      </MessagePage>
    )
  }
  if (!may(me.data, 'can_manage_clients')) {
    return (
      <MessagePage title="No client yet">
        <NoPermission message="There is no client that you may see, and your role does not allow you to add one." />
      </MessagePage>
    )
  }
  return (
    <MessagePage title={info.data.setup_open ? 'Welcome to Muster' : 'No client yet'} wide>
      <p>
        Machines belong to a site, and sites to a client. Name the first of each; both can be renamed later.
      </p>
      <SetupForm
        initial={info.data.setup_open}
        canMonitorServer={me.data.is_superuser && !info.data.hosted}
      />
    </MessagePage>
  )
}
