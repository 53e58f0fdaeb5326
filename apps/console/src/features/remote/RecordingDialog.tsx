import { Alert } from '@mantine/core'
import '@mantine/core/styles/Alert.css'
import type { RemoteSession } from '@muster/contract/api/remote'
import { use, useState } from 'react'
import { StateDialog } from '../../app/GuardedDialog.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { DateFormat } from '../../ui/date-format-context.ts'
import { formatDate } from '../../ui/date-format.ts'
import { describeError } from '../../app/describe-error.ts'
import { RecordingPlayer } from './RecordingPlayer.tsx'
import { useRecording } from './use-recording.ts'

interface RecordingDialogProps {
  session: RemoteSession
  hostname: string
  onClose: () => void
}

/** A session of somebody, played back. */
export function RecordingDialog(props: RecordingDialogProps) {
  const [round, setRound] = useState(0)
  return <LoadingRecording key={round} {...props} onRetry={() => setRound(round + 1)} />
}

function LoadingRecording({
  session,
  hostname,
  onClose,
  onRetry,
}: RecordingDialogProps & { onRetry: () => void }) {
  const loaded = useRecording(session.id)
  const format = use(DateFormat)
  const title = `Recording: ${session.username} on ${hostname}, ${formatDate(session.started_at, format)}`
  if (loaded === undefined || (loaded.error !== null && loaded.events.length === 0)) {
    return (
      <StateDialog
        title={title}
        size="xl"
        onClose={onClose}
        error={loaded?.error ?? null}
        onRetry={onRetry}
      />
    )
  }
  return (
    <Dialog title={title} size="xl" onClose={onClose}>
      {session.recording?.problem !== null && session.recording?.problem !== undefined && (
        <Alert color="warning" title="A part of it is lacking" mb="sm">
          {session.recording.problem}
        </Alert>
      )}
      {loaded.error !== null && (
        <Alert color="negative" title="Not all of it could be loaded" mb="sm">
          {describeError(loaded.error).message}
        </Alert>
      )}
      <RecordingPlayer
        recording={loaded}
        name={`${hostname} ${session.started_at.slice(0, 19).replaceAll(':', '-')}.cast`}
        startedAt={session.started_at}
        title={title}
      />
    </Dialog>
  )
}
