import { useMediaQuery } from '@mantine/hooks'
import type { RemoteSession } from '@muster/contract/api/remote'
import { use, useState } from 'react'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import type { DataColumn } from '../../ui/table/data-column.ts'
import { DateFormat } from '../../ui/layout/date-format-context.ts'
import { formatDate } from '../../ui/layout/date-format.ts'
import classes from './SessionsPane.module.css'
import { RecordingDialog } from './RecordingDialog.tsx'
import { SESSION_CARD, SESSION_COLUMNS_PX, type SessionContext } from './session-columns.tsx'

interface SessionTableProps<Session extends RemoteSession> {
  label: string
  sessions: readonly Session[]
  columns: readonly DataColumn<Session, SessionContext>[]
  /** Where a session was. */
  hostnameOf: (session: Session) => string
  onReceipt?: (session: RemoteSession) => void
  empty: string
}

/** Sessions as rows or, where it is narrow, as cards; what was recorded can be played. */
export function SessionTable<Session extends RemoteSession>(props: SessionTableProps<Session>) {
  const { label, sessions, columns, hostnameOf, onReceipt, empty } = props
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const format = use(DateFormat)
  const [selected, setSelected] = useState<string>()
  const [played, setPlayed] = useState<Session>()
  const play = ({ id }: { id: string }) =>
    setPlayed(sessions.find((session) => session.id === id && session.recording !== null))
  return (
    <div className={classes.pane}>
      <DataTable
        label={label}
        rows={sessions}
        rowKey={({ id }) => id}
        columns={columns}
        context={{
          formatDate: (instant: string) => formatDate(instant, format),
          onPlay: play,
          ...(onReceipt === undefined ? {} : { onReceipt }),
        }}
        rowHeight={32}
        minWidth={SESSION_COLUMNS_PX}
        selected={selected}
        onSelect={(row) => setSelected(row?.id)}
        onOpen={play}
        onDoubleClick={play}
        card={hasCards ? SESSION_CARD : undefined}
        empty={<EmptyState message={empty} />}
      />
      {played !== undefined && (
        <RecordingDialog
          session={played}
          hostname={hostnameOf(played)}
          onClose={() => setPlayed(undefined)}
        />
      )}
    </div>
  )
}
