import '@mantine/core/styles/Alert.css'
import type { AgentDetail } from '@muster/contract/api/agents'
import { getSessionChanges, listRemoteSessions, type RemoteSession } from '@muster/contract/api/remote'
import { useQuery } from '@tanstack/react-query'
import { use, useState } from 'react'
import { Alert } from '@mantine/core'
import { CHANGED_PARTS, type ChangedPart, type SessionChangesView } from '@muster/contract/agent/remote'
import { LoadingState, StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { query } from '../../app/api/api.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { formatDate } from '../../ui/layout/date-format.ts'
import { DateFormat } from '../../ui/layout/date-format-context.ts'
import { SessionTable } from './SessionTable.tsx'
import { SESSION_COLUMNS } from './session-columns.tsx'
import classes from './SessionChangesDialog.module.css'

/** Remote sessions on this machine; recordings can be played. */
export function SessionsPane({ agent: { agent_id, hostname } }: { agent: AgentDetail }) {
  const { data, error, refetch } = useQuery({
    ...query(listRemoteSessions, { params: { agent_id } }),
    staleTime: 0,
  })
  const [shown, setShown] = useState<RemoteSession>()
  if (data === undefined) return <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
  return (
    <>
      <SessionTable
        label="Sessions"
        sessions={data}
        columns={SESSION_COLUMNS}
        hostnameOf={() => hostname}
        onShowChanges={setShown}
        empty="No remote sessions yet."
      />
      {shown !== undefined && (
        <SessionChangesDialog
          session={shown}
          hostname={hostname}
          others={data.filter((other) => overlaps(other, shown)).length}
          onClose={() => setShown(undefined)}
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

interface SessionChangesDialogProps {
  session: RemoteSession
  hostname: string
  /** Other sessions on the machine that overlap with this one. */
  others: number
  onClose: () => void
}

/** Changes on the machine during a session. */
function SessionChangesDialog({ session, hostname, others, onClose }: SessionChangesDialogProps) {
  const format = use(DateFormat)
  const options = query(getSessionChanges, { params: { id: session.id } })
  const { data, error, refetch } = useQuery(options)
  const title = `Changes on ${hostname}: ${session.username}, ${formatDate(session.started_at, format)}`
  if (data === undefined)
    return (
      <StateDialog title={title} size="lg" onClose={onClose} error={error} onRetry={() => void refetch()} />
    )
  return (
    <Dialog title={title} size="lg" onClose={onClose}>
      {data.interrupted && (
        <Alert color="warning" title="The agent was stopped during the session" mb="sm">
          The machine was scanned again at the next start of the agent. Changes in between are in this as
          well.
        </Alert>
      )}
      <p className="note">
        {describeSpan(data, (instant) => formatDate(instant, format))} {describeOthers(others)}
      </p>
      {CHANGED_PARTS.map((name) => (
        <section key={name} className={classes.part} aria-label={TITLES[name]}>
          <h3 className={classes.title}>{TITLES[name]}</h3>
          <Part part={data.parts[name]} />
        </section>
      ))}
    </Dialog>
  )
}

const TITLES = {
  packages: 'Packages',
  services: 'Services',
  files: 'Files in /etc',
  users: 'Users',
  ports: 'Listening ports',
}

function Part({ part }: { part: ChangedPart }) {
  if (part.state === 'not_collected') return <p className={classes.dim}>{part.reason}</p>
  const { added, removed, changed, left_out } = part
  const lines = [
    ...added.map(({ name, state }) => ({ kind: 'Added', name, state })),
    ...removed.map(({ name, state }) => ({ kind: 'Removed', name, state })),
    ...changed.map(({ name, from, to }) => ({
      kind: 'Changed',
      name,
      state: from === to ? to : `${from} \u2192 ${to}`,
    })),
  ]
  if (lines.length === 0) return <p className={classes.dim}>No changes</p>
  return (
    <>
      <ul className={classes.changes}>
        {lines.map(({ kind, name, state }) => (
          <li key={`${kind} ${name}`}>
            <span className="dim">{kind}</span>
            <span className={classes.name}>
              {name} {state !== '' && <span className="dim">{state}</span>}
            </span>
          </li>
        ))}
      </ul>
      {left_out > 0 && <p className={classes.dim}>And {left_out} more.</p>}
    </>
  )
}

function describeSpan({ from, to }: SessionChangesView, format: (instant: string) => string): string {
  return `All changes on the machine from ${format(from)} to ${format(to)}, by its own clock.`
}

function describeOthers(others: number): string {
  if (others === 0) return 'No other session was open.'
  return others === 1 ? '1 other session was open.' : `${others} other sessions were open.`
}
