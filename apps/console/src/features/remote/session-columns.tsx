import { Button } from '@mantine/core'
import type { RemoteSession } from '@muster/contract/api/remote'
import { formatFileSize } from '@muster/rules/text/units'
import { formatAge } from '../../app/shell/format-seconds.ts'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import classes from './SessionsPane.module.css'

export interface SessionContext {
  formatDate: (instant: string) => string
  onPlay: (session: RemoteSession) => void
  /** Undefined where sessions have no changes. */
  onShowChanges?: (session: RemoteSession) => void
}

export const SESSION_COLUMNS_PX = 1040

export const SESSION_COLUMNS: readonly DataColumn<RemoteSession, SessionContext>[] = [
  { id: 'user', title: 'User', width: 'minmax(90px, 0.7fr)', render: ({ username }) => username },
  { id: 'tool', title: 'Tool', width: '120px', render: (session) => toolLabel(session) },
  {
    id: 'began',
    title: 'Started',
    width: '170px',
    render: ({ started_at }, { formatDate }) => <time dateTime={started_at}>{formatDate(started_at)}</time>,
  },
  { id: 'lasted', title: 'Duration', width: '110px', render: (session) => describeDuration(session) },
  {
    id: 'reason',
    title: 'Reason',
    width: 'minmax(110px, 1fr)',
    render: ({ purpose }) => <span data-tip={purpose ?? undefined}>{purpose}</span>,
  },
  {
    id: 'end',
    title: 'End reason',
    width: 'minmax(140px, 1.4fr)',
    render: (session) => describeEnd(session),
  },
  { id: 'from', title: 'From', width: '120px', render: ({ ip_address }) => ip_address },
  {
    id: 'recording',
    title: 'Recording',
    width: 'minmax(150px, 0.8fr)',
    render: (session, { onPlay }) => <Recorded session={session} onPlay={onPlay} />,
  },
  {
    id: 'changes',
    title: 'Changes',
    width: '110px',
    render: (session, { onShowChanges }) => <Changes session={session} onShowChanges={onShowChanges} />,
  },
]

export const SESSION_CARD: DataCard<RemoteSession, SessionContext> = {
  height: 76,
  render: (session, { formatDate, onPlay, onShowChanges }) => (
    <div className={classes.card}>
      <div>
        <div>
          {session.username}, {toolLabel(session)}
        </div>
        {session.purpose && (
          <div className="cut" data-tip={session.purpose}>
            {session.purpose}
          </div>
        )}
        <div className="dim">
          {formatDate(session.started_at)}, {describeDuration(session)}
        </div>
      </div>
      <div className={classes.cardButtons}>
        <div>
          <Recorded session={session} onPlay={onPlay} />
        </div>
        <Changes session={session} onShowChanges={onShowChanges} />
      </div>
    </div>
  ),
}

function Changes({
  session,
  onShowChanges,
}: {
  session: RemoteSession
  onShowChanges: SessionContext['onShowChanges']
}) {
  const { receipt, ended_at, username, started_at } = session
  if (onShowChanges === undefined) return null
  if (receipt === null)
    return (
      <span className="dim" data-tip={ended_at === null ? undefined : NOT_SAID}>
        {ended_at === null ? '' : 'unknown'}
      </span>
    )
  const { changes } = receipt
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={`${countChanges(changes)} in the session of ${username}, ${started_at}`}
      onClick={() => onShowChanges(session)}
    >
      {countChanges(changes)}
    </Button>
  )
}

const NOT_SAID = 'No changes reported yet. The machine may be scanning, offline, or running an old agent.'

const countChanges = (changes: number) =>
  changes === 0 ? 'no changes' : `${changes} ${changes === 1 ? 'change' : 'changes'}`

function Recorded({ session, onPlay }: { session: RemoteSession; onPlay: (session: RemoteSession) => void }) {
  const { recording, username, started_at } = session
  if (recording === null) return <span className="dim">not recorded</span>
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`Play the recording of ${username}, ${started_at}`}
        onClick={() => onPlay(session)}
      >
        Play
      </Button>{' '}
      <span className="dim" data-tip={recording.problem ?? undefined}>
        {recording.bytes > 0 && formatFileSize(recording.bytes)}
        {recording.problem !== null && ' (in part)'}
      </span>
    </>
  )
}

function describeDuration({ started_at, ended_at }: RemoteSession): string {
  return ended_at === null ? 'Active' : formatAge(Date.parse(ended_at) - Date.parse(started_at))
}

/** Joining a colleague's terminal is a session of its own. */
function toolLabel({ tool, joined_session }: RemoteSession): string {
  return joined_session ? `${tool}, joined` : tool
}

function describeEnd({ reason, exit_code }: RemoteSession): string {
  if (reason === null) return ''
  return exit_code === null ? reason : `${reason} Exit code ${exit_code}.`
}
