import '@mantine/core/styles/Alert.css'
import { useMediaQuery } from '@mantine/hooks'
import type { RemoteSession } from '@muster/contract/api/remote'
import { type ReactNode, Suspense, use, useState } from 'react'
import { Alert } from '@mantine/core'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { EmptyState, SkeletonRows } from '../../ui/layout/States.tsx'
import type { DataColumn } from '../../ui/table/data-column.ts'
import { formatDate } from '../../ui/layout/date-format.ts'
import { DateFormat } from '../../ui/layout/date-format-context.ts'
import { StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { describeError } from '../../app/api/describe-error.ts'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { SESSION_CARD, SESSION_COLUMNS_PX, type SessionContext } from './session-columns.tsx'
import { useScreenRecording } from './desktop/use-screen-recording.ts'
import { RecordingPlayer } from './RecordingPlayer.tsx'
import { useRecording } from './use-recording.ts'

interface SessionTableProps<Session extends RemoteSession> {
  label: string
  sessions: readonly Session[]
  columns: readonly DataColumn<Session, SessionContext>[]
  /** The machine or host of a session. */
  hostnameOf: (session: Session) => string
  onShowChanges?: (session: RemoteSession) => void
  empty: string
}

/** Sessions as rows or, in narrow windows, as cards; recordings can be played. */
export function SessionTable<Session extends RemoteSession>(props: SessionTableProps<Session>) {
  const { label, sessions, columns, hostnameOf, onShowChanges, empty } = props
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const format = use(DateFormat)
  const [selected, setSelected] = useState<string>()
  const [played, setPlayed] = useState<Session>()
  const play = ({ id }: { id: string }) =>
    setPlayed(sessions.find((session) => session.id === id && session.recording !== null))
  return (
    <div className="pane">
      <DataTable
        label={label}
        rows={sessions}
        rowKey={({ id }) => id}
        columns={columns}
        context={{
          formatDate: (instant: string) => formatDate(instant, format),
          onPlay: play,
          ...(onShowChanges === undefined ? {} : { onShowChanges }),
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

const ScreenPlayer = lazyPart(() => import('./desktop/ScreenPlayer.tsx').then((file) => file.ScreenPlayer))

interface RecordingDialogProps {
  session: RemoteSession
  hostname: string
  onClose: () => void
}

interface LoadingProps extends RecordingDialogProps {
  onRetry: () => void
}

/** Plays the recording of a session. */
function RecordingDialog(props: RecordingDialogProps) {
  const [round, setRound] = useState(0)
  const onRetry = () => setRound(round + 1)
  return props.session.tool === 'terminal' ? (
    <TerminalRecording key={round} {...props} onRetry={onRetry} />
  ) : (
    <ScreenRecording key={round} {...props} onRetry={onRetry} />
  )
}

function TerminalRecording(props: LoadingProps) {
  const { session, hostname } = props
  const loaded = useRecording(session.id)
  return (
    <RecordingFrame {...props} loaded={loaded}>
      {(title) =>
        loaded !== undefined && (
          <RecordingPlayer
            recording={loaded}
            name={`${hostname} ${session.started_at.slice(0, 19).replaceAll(':', '-')}.cast`}
            startedAt={session.started_at}
            title={title}
          />
        )
      }
    </RecordingFrame>
  )
}

function ScreenRecording(props: LoadingProps) {
  const loaded = useScreenRecording(props.session.id)
  return (
    <RecordingFrame {...props} loaded={loaded}>
      {() =>
        loaded !== undefined && (
          <Suspense fallback={<SkeletonRows rows={8} />}>
            <ScreenPlayer recording={loaded} />
          </Suspense>
        )
      }
    </RecordingFrame>
  )
}

interface RecordingFrameProps extends LoadingProps {
  loaded: { events: readonly unknown[]; error: unknown } | undefined
  children: (title: string) => ReactNode
}

function RecordingFrame({ session, hostname, onClose, onRetry, loaded, children }: RecordingFrameProps) {
  const format = use(DateFormat)
  const title = `Recording: ${session.username} on ${hostname}, ${formatDate(session.started_at, format)}`
  if (loaded === undefined || (loaded.error !== null && loaded.events.length === 0)) {
    const error = loaded?.error ?? null
    return <StateDialog title={title} size="xl" onClose={onClose} error={error} onRetry={onRetry} />
  }
  const problem = session.recording?.problem ?? null
  return (
    <Dialog title={title} size="xl" onClose={onClose}>
      {problem !== null && (
        <Alert color="warning" title="Part of the recording is missing" mb="sm">
          {problem}
        </Alert>
      )}
      {loaded.error !== null && (
        <Alert color="negative" title="Failed to load the whole recording" mb="sm">
          {describeError(loaded.error).message}
        </Alert>
      )}
      {children(title)}
    </Dialog>
  )
}
