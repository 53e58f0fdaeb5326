import { useMediaQuery } from '@mantine/hooks'
import { listWebTermSessions, type WebTermSession } from '@muster/contract/api/webterm'
import { useQuery } from '@tanstack/react-query'
import { use, useState } from 'react'
import { LoadingState } from '../../app/GuardedDialog.tsx'
import { query } from '../../app/api.ts'
import { DataTable } from '../../ui/DataTable.tsx'
import { EmptyState } from '../../ui/States.tsx'
import type { DataColumn } from '../../ui/data-column.ts'
import { DateFormat } from '../../ui/date-format-context.ts'
import { formatDate } from '../../ui/date-format.ts'
import { RecordingDialog } from '../remote/RecordingDialog.tsx'
import classes from '../remote/SessionsPane.module.css'
import { SESSION_CARD, SESSION_COLUMNS, SESSION_COLUMNS_PX } from '../remote/session-columns.tsx'

interface Context {
  formatDate: (instant: string) => string
  onPlay: (session: { id: string }) => void
}

const COLUMNS: readonly DataColumn<WebTermSession, Context>[] = SESSION_COLUMNS.filter(
  // The server itself has no receipts, and asks nobody for a reason.
  ({ id }) => id !== 'changes' && id !== 'purpose',
).map((column) =>
  column.id === 'tool'
    ? { id: 'host', title: 'Host', width: 'minmax(90px, 0.6fr)', render: ({ host }) => host }
    : column,
)

/** Who had a shell of the server, from when to when; each can be played. */
export function WebTermSessions() {
  const { data, error, refetch } = useQuery({ ...query(listWebTermSessions, {}), staleTime: 0 })
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const format = use(DateFormat)
  const [selected, setSelected] = useState<string>()
  const [played, setPlayed] = useState<WebTermSession>()
  if (data === undefined) return <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
  const play = ({ id }: { id: string }) =>
    setPlayed(data.find((session) => session.id === id && session.recording !== null))
  return (
    <div className={classes.pane}>
      <DataTable
        label="Sessions of the web terminal"
        rows={data}
        rowKey={({ id }) => id}
        columns={COLUMNS}
        context={{ formatDate: (instant) => formatDate(instant, format), onPlay: play }}
        rowHeight={32}
        minWidth={SESSION_COLUMNS_PX}
        selected={selected}
        onSelect={(row) => setSelected(row?.id)}
        onOpen={play}
        onDoubleClick={play}
        card={hasCards ? SESSION_CARD : undefined}
        empty={<EmptyState message="Nobody has opened the web terminal yet." />}
      />
      {played !== undefined && (
        <RecordingDialog session={played} hostname={played.host} onClose={() => setPlayed(undefined)} />
      )}
    </div>
  )
}
