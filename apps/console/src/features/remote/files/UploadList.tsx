import { Button, Progress } from '@mantine/core'
import '@mantine/core/styles/Progress.css'
import { formatFileSize } from '@muster/rules/text/units'
import { useMutation } from '@tanstack/react-query'
import { useStore } from '../../../app/session/store.ts'
import classes from './FilesPane.module.css'
import { removeUpload, type Upload, type UploadView, uploads } from './upload.ts'

const WORDS: Record<UploadView['state'], string> = {
  running: 'Uploading',
  waiting: 'Waiting',
  paused: 'Paused',
  checking: 'Checking',
  done: 'Uploaded',
  cancelled: 'Cancelled',
}

/** Current uploads to this machine. */
export function UploadList({ agentId }: { agentId: string }) {
  const all = useStore(uploads, (list) => list)
  const own = all.filter(({ options }) => options.agentId === agentId)
  if (own.length === 0) return null
  return (
    <ul aria-label="Uploads" className={classes.uploads}>
      {own.map((upload) => (
        <UploadItem key={upload.key} upload={upload} />
      ))}
    </ul>
  )
}

function UploadItem({ upload }: { upload: Upload }) {
  const { state, sent, problem } = useStore(upload.view, (view) => view)
  const { name, size } = upload.options.file
  const { mutate: cancel, isPending } = useMutation({
    mutationFn: () => upload.cancel(),
    onSettled: () => removeUpload(upload),
  })
  const percent = size === 0 ? 100 : (sent / size) * 100
  const isOver = state === 'done'
  return (
    <li className={classes.upload}>
      <span className={`cut ${classes.uploadName}`}>{name}</span>
      <Progress value={percent} aria-label={`Upload of ${name}`} className={classes.progress ?? ''} />
      <span role="status" className={classes.uploadState}>
        {WORDS[state]}, {formatFileSize(sent)} of {formatFileSize(size)}
        {problem !== undefined && `: ${problem}`}
      </span>
      {(state === 'running' || state === 'waiting') && (
        <Button variant="default" size="compact-sm" onClick={() => upload.pause()}>
          Pause
        </Button>
      )}
      {state === 'paused' && (
        <Button variant="default" size="compact-sm" onClick={() => upload.start()}>
          Resume
        </Button>
      )}
      {isOver ? (
        <Button variant="default" size="compact-sm" onClick={() => removeUpload(upload)}>
          Close
        </Button>
      ) : (
        <Button
          variant="default"
          size="compact-sm"
          disabled={state === 'checking'}
          loading={isPending}
          onClick={() => cancel()}
        >
          Cancel
        </Button>
      )}
    </li>
  )
}
