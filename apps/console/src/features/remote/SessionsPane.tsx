import { useMediaQuery } from '@mantine/hooks'
import type { AgentDetail } from '@muster/contract/api/agents'
import { listRemoteSessions, type RemoteSession } from '@muster/contract/api/remote'
import { useQuery } from '@tanstack/react-query'
import { use, useState } from 'react'
import { LoadingState } from '../../app/GuardedDialog.tsx'
import { query } from '../../app/api.ts'
import { DataTable } from '../../ui/DataTable.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { DateFormat } from '../../ui/date-format-context.ts'
import { formatDate } from '../../ui/date-format.ts'
import classes from './SessionsPane.module.css'
import { ReceiptDialog } from './ReceiptDialog.tsx'
import { RecordingDialog } from './RecordingDialog.tsx'
import { SESSION_CARD, SESSION_COLUMNS, SESSION_COLUMNS_PX } from './session-columns.tsx'

/** Who used tools on this machine, from when to when; what was recorded can be played. */
export function SessionsPane({ agent }: { agent: AgentDetail }) {
  const { agent_id } = agent
  const { data, error, refetch } = useQuery({
    ...query(listRemoteSessions, { params: { agent_id } }),
    staleTime: 0,
  })
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const format = use(DateFormat)
  const [selected, setSelected] = useState<string>()
  const [played, setPlayed] = useState<RemoteSession>()
  const [looked, setLooked] = useState<RemoteSession>()
  if (data === undefined) return <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
  const play = (session: RemoteSession) => setPlayed(session.recording === null ? undefined : session)
  return (
    <div className={classes.pane}>
      <DataTable
        label="Sessions"
        rows={data}
        rowKey={({ id }) => id}
        columns={SESSION_COLUMNS}
        context={{
          formatDate: (instant: string) => formatDate(instant, format),
          onPlay: play,
          onReceipt: setLooked,
        }}
        rowHeight={32}
        minWidth={SESSION_COLUMNS_PX}
        selected={selected}
        onSelect={(row) => setSelected(row?.id)}
        onOpen={play}
        onDoubleClick={play}
        card={hasCards ? SESSION_CARD : undefined}
        empty={<EmptyState message="Nobody has used a tool on this machine yet." />}
      />
      {played !== undefined && (
        <RecordingDialog session={played} hostname={agent.hostname} onClose={() => setPlayed(undefined)} />
      )}
      {looked !== undefined && (
        <ReceiptDialog
          session={looked}
          hostname={agent.hostname}
          others={data.filter((other) => overlaps(other, looked)).length}
          onClose={() => setLooked(undefined)}
        />
      )}
    </div>
  )
}

function overlaps(other: RemoteSession, session: RemoteSession): boolean {
  const isBefore = other.ended_at !== null && other.ended_at <= session.started_at
  const isAfter = session.ended_at !== null && other.started_at >= session.ended_at
  return other.id !== session.id && !isBefore && !isAfter
}
