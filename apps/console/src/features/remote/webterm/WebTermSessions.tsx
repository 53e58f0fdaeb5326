import { listWebTermSessions, type WebTermSession } from '@muster/contract/api/webterm'
import { useQuery } from '@tanstack/react-query'
import { LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { query } from '../../../app/api/api.ts'
import type { DataColumn } from '../../../ui/table/data-column.ts'
import { SessionTable } from '../SessionTable.tsx'
import { SESSION_COLUMNS, type SessionContext } from '../session-columns.tsx'

const COLUMNS: readonly DataColumn<WebTermSession, SessionContext>[] = SESSION_COLUMNS.filter(
  // The server itself has no change reports, and requires no reason.
  ({ id }) => id !== 'changes' && id !== 'reason',
).map((column) =>
  column.id === 'tool'
    ? { id: 'host', title: 'Host', width: 'minmax(90px, 0.6fr)', render: ({ host }) => host }
    : column,
)

/** Shell sessions on the server; each can be played. */
export function WebTermSessions() {
  const { data, error, refetch } = useQuery({ ...query(listWebTermSessions, {}), staleTime: 0 })
  if (data === undefined) return <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
  return (
    <SessionTable
      label="Sessions of the web terminal"
      sessions={data}
      columns={COLUMNS}
      hostnameOf={({ host }) => host}
      empty="No web terminal sessions yet."
    />
  )
}
