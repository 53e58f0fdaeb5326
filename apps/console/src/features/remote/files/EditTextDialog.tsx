import { Button } from '@mantine/core'
import type { TextFile } from '@muster/contract/agent/files'
import { listFolder, readText, writeText } from '@muster/contract/api/files'
import { ApiError } from '@muster/contract/client'
import { joinRaw, showRaw } from '@muster/rules/agents/raw-path'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormError } from '../../../app/dialogs/FormDialog.tsx'
import { LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { call, query } from '../../../app/api/api.ts'
import { notifyDone } from '../../../app/shell/notify.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import { DiscardDialog, useLeaveQuestion } from '../../../app/dialogs/use-leave-question.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { CodeEditor } from '../../scripts/CodeEditor.tsx'
import classes from './FilesPane.module.css'
import type { FileDialogProps } from './file-dialog.ts'

/** A small text, shown and edited. What somebody else has written meanwhile is not overwritten. */
export function EditTextDialog({ agent, folder, entry, onClose }: FileDialogProps) {
  const params = { agent_id: agent.agent_id }
  const path = joinRaw(folder, entry.raw)
  const { data, error, refetch } = useQuery({
    ...query(readText, { params, query: { path } }),
    retry: false,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  if (data !== undefined)
    return (
      <Editor key={data.hash} agent={agent} file={data} onClose={onClose} onReread={() => void refetch()} />
    )
  return (
    <Dialog title={entry.name} onClose={onClose} size="xl">
      <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
    </Dialog>
  )
}

interface EditorProps {
  agent: FileDialogProps['agent']
  file: TextFile
  onClose: () => void
  onReread: () => void
}

function Editor({ agent, file, onClose, onReread }: EditorProps) {
  const queryClient = useQueryClient()
  const [text, setText] = useState(file.text)
  const isDirty = text !== file.text
  const { mutate, isPending, error, isSuccess } = useMutation({
    mutationFn: async ({ over }: { over: boolean }) => {
      const params = { agent_id: agent.agent_id }
      const { hash } = over ? await call(readText, { params, query: { path: file.path } }) : file
      return call(writeText, { params, body: { path: file.path, text, hash } })
    },
    meta: { errorsShown: true },
    onSuccess: async () => {
      notifyDone(`${showRaw(file.path)} is saved.`)
      onClose()
      await queryClient.invalidateQueries({ queryKey: queryKey(listFolder) })
    },
  })
  const isConflict = error instanceof ApiError && error.code === 'changed_meanwhile'
  const question = useLeaveQuestion(() => isDirty && !isSuccess)
  // This dialog has no address, so closing it is no way that the question above would see.
  const [isLeaving, setIsLeaving] = useState(false)
  const close = isDirty ? () => setIsLeaving(true) : onClose
  return (
    <>
      <Dialog
        title={`${showRaw(file.path)} on ${agent.hostname}`}
        onClose={close}
        size="xl"
        persistent={isDirty}
        why={isDirty ? undefined : 'No changes to save.'}
        footer={
          <>
            {isConflict && (
              <Button variant="default" onClick={onReread}>
                Read again, without my changes
              </Button>
            )}
            <Button variant="default" onClick={close}>
              Close
            </Button>
            <Button
              disabled={!isDirty}
              loading={isPending}
              {...(isConflict ? { color: 'negative' } : {})}
              onClick={() => mutate({ over: isConflict })}
            >
              {isConflict ? 'Overwrite it' : 'Save'}
            </Button>
          </>
        }
      >
        {error !== null && <FormError error={error} />}
        <div className={classes.text}>
          <CodeEditor start={file.text} onChange={setText} shell="shell" readOnly={false} first />
        </div>
      </Dialog>
      {question}
      {isLeaving && <DiscardDialog onConfirm={onClose} onClose={() => setIsLeaving(false)} />}
    </>
  )
}
