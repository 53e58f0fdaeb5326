import type { AgentDetail } from '@muster/contract/api/agents'
import { listRemoteSessions, type RemoteSession } from '@muster/contract/api/remote'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { query } from '../../app/api/api.ts'
import { ReceiptDialog } from './ReceiptDialog.tsx'
import { SessionTable } from './SessionTable.tsx'
import { SESSION_COLUMNS } from './session-columns.tsx'

/** Who used tools on this machine, from when to when; what was recorded can be played. */
export function SessionsPane({ agent: { agent_id, hostname } }: { agent: AgentDetail }) {
  const { data, error, refetch } = useQuery({
    ...query(listRemoteSessions, { params: { agent_id } }),
    staleTime: 0,
  })
  const [looked, setLooked] = useState<RemoteSession>()
  if (data === undefined) return <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
  return (
    <>
      <SessionTable
        label="Sessions"
        sessions={data}
        columns={SESSION_COLUMNS}
        hostnameOf={() => hostname}
        onReceipt={setLooked}
        empty="Nobody has used a tool on this machine yet."
      />
      {looked !== undefined && (
        <ReceiptDialog
          session={looked}
          hostname={hostname}
          others={data.filter((other) => overlaps(other, looked)).length}
          onClose={() => setLooked(undefined)}
        />
      )}
    </>
  )
}

function overlaps(other: RemoteSession, session: RemoteSession): boolean {
  const isBefore = other.ended_at !== null && other.ended_at <= session.started_at
  const isAfter = session.ended_at !== null && other.started_at >= session.ended_at
  return other.id !== session.id && !isBefore && !isAfter
}
