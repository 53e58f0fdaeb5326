import { Button, FileButton } from '@mantine/core'
import type { FileEntry } from '@muster/contract/agent/files'
import { listFolder } from '@muster/contract/api/files'
import { joinRaw, rawOfText } from '@muster/rules/agents/raw-path'
import { IconUpload } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { queryKey } from '../../../app/api/query-key.ts'
import { ConfirmDialog } from '../../../ui/dialog/ConfirmDialog.tsx'
import { addUpload } from './upload.ts'

interface UploadButtonProps {
  agentId: string
  folder: string
  entries: readonly FileEntry[]
  disabled: boolean
}

/** Files of this computer go to the folder; what has their name is replaced only when the person says so. */
export function UploadButton({ agentId, folder, entries, disabled }: UploadButtonProps) {
  const queryClient = useQueryClient()
  // The same file may be chosen once more.
  const reset = useRef<() => void>(null)
  const [asked, setAsked] = useState<readonly File[]>([])
  const add = (files: readonly File[], replace: boolean) => {
    for (const file of files) {
      const path = joinRaw(folder, rawOfText(file.name))
      const onDone = () => void queryClient.invalidateQueries({ queryKey: queryKey(listFolder) })
      addUpload({ agentId, path, file, replace, onDone })
    }
  }
  const choose = (files: readonly File[]) => {
    const names = new Set(entries.map(({ name }) => name))
    add(
      files.filter(({ name }) => !names.has(name)),
      false,
    )
    setAsked(files.filter(({ name }) => names.has(name)))
    reset.current?.()
  }
  return (
    <>
      <FileButton multiple resetRef={reset} onChange={choose}>
        {(props) => (
          <Button
            {...props}
            variant="default"
            size="compact-sm"
            leftSection={<IconUpload size={14} stroke={1.75} aria-hidden />}
            disabled={disabled}
          >
            Upload
          </Button>
        )}
      </FileButton>
      {asked.length > 0 && (
        <ConfirmDialog
          title="Replace what is there?"
          message={`${asked.map(({ name }) => name).join(', ')}: of that name something is in the folder already.`}
          confirmLabel="Replace"
          danger
          onConfirm={() => {
            add(asked, true)
            setAsked([])
          }}
          onClose={() => setAsked([])}
        />
      )}
    </>
  )
}
