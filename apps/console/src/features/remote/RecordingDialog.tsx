import { Alert } from '@mantine/core'
import '@mantine/core/styles/Alert.css'
import type { RemoteSession } from '@muster/contract/api/remote'
import { type ReactNode, Suspense, use, useState } from 'react'
import { StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { describeError } from '../../app/api/describe-error.ts'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { SkeletonRows } from '../../ui/layout/States.tsx'
import { DateFormat } from '../../ui/layout/date-format-context.ts'
import { formatDate } from '../../ui/layout/date-format.ts'
import { useScreenRecording } from './desktop/use-screen-recording.ts'
import { RecordingPlayer } from './RecordingPlayer.tsx'
import { useRecording } from './use-recording.ts'

const ScreenPlayer = lazyPart(() => import('./desktop/ScreenPlayer.tsx').then((file) => file.ScreenPlayer))

interface RecordingDialogProps {
  session: RemoteSession
  hostname: string
  onClose: () => void
}

interface LoadingProps extends RecordingDialogProps {
  onRetry: () => void
}

/** A session of somebody, played back. */
export function RecordingDialog(props: RecordingDialogProps) {
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
        <Alert color="warning" title="A part of it is lacking" mb="sm">
          {problem}
        </Alert>
      )}
      {loaded.error !== null && (
        <Alert color="negative" title="Not all of it could be loaded" mb="sm">
          {describeError(loaded.error).message}
        </Alert>
      )}
      {children(title)}
    </Dialog>
  )
}
