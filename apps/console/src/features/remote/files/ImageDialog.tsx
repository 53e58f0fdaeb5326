import { Button } from '@mantine/core'
import { joinRaw, showRaw } from '@muster/rules/agents/raw-path'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { ErrorState } from '../../../ui/layout/States.tsx'
import classes from './FilesPane.module.css'
import { fetchImage } from './fetch-image.ts'
import type { FileDialogProps } from './file-dialog.ts'
import { startDownload } from './start-download.ts'

/** A picture, drawn from the machine's bytes: nothing in it is run, whatever it is. */
export function ImageDialog({ agent, folder, entry, onClose }: FileDialogProps) {
  const path = joinRaw(folder, entry.raw)
  const { data, error, refetch } = useQuery({
    queryKey: ['image', agent.agent_id, path],
    queryFn: ({ signal }) => fetchImage({ agentId: agent.agent_id, path }, signal),
    retry: false,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  const { mutate: download } = useMutation({
    mutationFn: () => startDownload(agent.agent_id, folder, entry),
  })
  return (
    <Dialog
      title={`${showRaw(path)} on ${agent.hostname}`}
      onClose={onClose}
      size="xl"
      footer={
        <>
          <Button variant="default" onClick={() => download()}>
            Download
          </Button>
          <Button onClick={onClose} data-autofocus>
            Close
          </Button>
        </>
      }
    >
      {data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
      ) : (
        <Picture blob={data} name={entry.name} />
      )}
    </Dialog>
  )
}

function Picture({ blob, name }: { blob: Blob; name: string }) {
  const image = useRef<HTMLImageElement>(null)
  const [size, setSize] = useState('')
  const [isBroken, setBroken] = useState(false)
  useEffect(() => {
    const url = URL.createObjectURL(blob)
    if (image.current !== null) image.current.src = url
    return () => URL.revokeObjectURL(url)
  }, [blob])
  if (isBroken)
    return <ErrorState message="This picture is damaged, or of a kind that this browser cannot draw." />
  return (
    <figure className={classes.picture}>
      <img
        ref={image}
        alt={name}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
          setSize(`${naturalWidth} × ${naturalHeight} pixels`)
        }
        onError={() => setBroken(true)}
      />
      <figcaption>{size}</figcaption>
    </figure>
  )
}
