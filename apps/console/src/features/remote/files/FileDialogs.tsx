import type { FileChange, FileEntry, TextFile } from '@muster/contract/agent/files'
import { Button, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { joinRaw, rawOfText, showRaw } from '@muster/rules/agents/raw-path'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { changeFile, listFolder, readText, writeText } from '@muster/contract/api/files'
import { ApiError } from '@muster/contract/client'
import type { AgentDetail } from '@muster/contract/api/agents'
import { FormDialog, FormError } from '../../../app/dialogs/FormDialog.tsx'
import { notifyDone } from '../../../app/shell/notify.ts'
import { ConfirmDialog } from '../../../ui/dialog/ConfirmDialog.tsx'
import { LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { ErrorState } from '../../../ui/layout/States.tsx'
import { call, query } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import { DiscardDialog, useLeaveQuestion } from '../../../app/dialogs/use-leave-question.tsx'
import { CodeEditor } from '../../scripts/CodeEditor.tsx'
import { AccessDialog } from './AccessDialog.tsx'
import { checkFolder, checkName, modeLabel } from './file-rows.ts'
import classes from './FilesPane.module.css'
import { fetchImage } from './fetch-image.ts'
import { startDownload } from './upload.ts'

/** The open dialog. */
export type OpenDialog =
  | { what: 'new-folder' }
  | { what: 'move' | 'delete' | 'rights' | 'access' | 'edit' | 'image'; entry: FileEntry }

const DIALOGS = {
  move: MoveFileDialog,
  delete: DeleteFileDialog,
  rights: RightsDialog,
  access: AccessDialog,
  edit: EditTextDialog,
  image: ImageDialog,
} as const

export function FileDialogs({ open, ...rest }: { open: OpenDialog } & Omit<FileDialogProps, 'entry'>) {
  if (open.what === 'new-folder') return <NewFolderDialog {...rest} />
  const Dialog = DIALOGS[open.what]
  return <Dialog {...rest} entry={open.entry} />
}

function NewFolderDialog({ agent, folder, onClose }: Omit<FileDialogProps, 'entry'>) {
  const change = useChangeFile(agent.agent_id)
  const isWindows = agent.plat === 'windows'
  const form = useForm({
    initialValues: { name: '' },
    validate: { name: (name) => checkName(name, isWindows) },
  })
  return (
    <FormDialog
      title={`New folder in ${showRaw(folder)}`}
      form={form}
      save={({ name }) => change({ change: 'make-folder', path: joinRaw(folder, rawOfText(name)) })}
      onClose={onClose}
      submitLabel="Create folder"
      size="sm"
    >
      <TextInput label="Name" autoComplete="off" data-autofocus {...form.getInputProps('name')} />
    </FormDialog>
  )
}

/** Changes the name, the folder, or both. Unchanged parts keep their bytes, also if they are no valid text. */
function MoveFileDialog({ agent, folder, entry, onClose }: FileDialogProps) {
  const change = useChangeFile(agent.agent_id)
  const shownFolder = showRaw(folder)
  const isWindows = agent.plat === 'windows'
  const form = useForm({
    initialValues: { name: entry.name, folder: shownFolder },
    validate: {
      // A name that exists already may be one that could not be chosen.
      name: (name) => (name === entry.name ? null : checkName(name, isWindows)),
      folder: (text) => checkFolder(text, isWindows),
    },
  })
  return (
    <FormDialog
      title={`Rename or move ${entry.name}`}
      form={form}
      save={(values) => {
        const name = values.name === entry.name ? entry.raw : rawOfText(values.name)
        const into = values.folder === shownFolder ? folder : rawOfText(values.folder)
        return change({ change: 'move', path: joinRaw(folder, entry.raw), to: joinRaw(into, name) })
      }}
      onClose={onClose}
      submitLabel="Move"
    >
      <TextInput label="Name" autoComplete="off" data-autofocus {...form.getInputProps('name')} />
      <TextInput mt="sm" label="Folder" autoComplete="off" {...form.getInputProps('folder')} />
    </FormDialog>
  )
}

/** For a folder with its content, asks for a typed word. */
function DeleteFileDialog({ agent, folder, entry, onClose }: FileDialogProps) {
  const change = useChangeFile(agent.agent_id)
  const isFolder = entry.kind === 'folder'
  const path = joinRaw(folder, entry.raw)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => change({ change: 'delete', path }),
    meta: { errorsShown: true },
    onSuccess: ({ count }) => {
      notifyDone(count > 1 ? `${entry.name} and ${count - 1} more deleted.` : `${entry.name} deleted.`)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={`Delete ${entry.name} on ${agent.hostname}?`}
      message={
        <>
          {error !== null && <FormError error={error} />}
          <p>
            Deletes {showRaw(path)}
            {isFolder ? ' with everything in it' : ''}. This cannot be undone.
          </p>
        </>
      }
      confirmLabel="Delete"
      danger
      {...(isFolder ? { typed: 'delete' } : {})}
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}

const OCTAL = /^[0-7]{3,4}$/

function RightsDialog({ agent, folder, entry, onClose }: FileDialogProps) {
  const change = useChangeFile(agent.agent_id)
  const form = useForm({
    initialValues: { mode: (entry.mode ?? 0).toString(8).padStart(4, '0') },
    validate: {
      mode: (text) => (OCTAL.test(text) ? null : 'Enter three or four digits from 0 to 7, as in 0644.'),
    },
  })
  const { mode } = form.values
  return (
    <FormDialog
      title={`Permissions of ${entry.name}`}
      form={form}
      save={(values) =>
        change({
          change: 'set-mode',
          path: joinRaw(folder, entry.raw),
          mode: Number.parseInt(values.mode, 8),
        })
      }
      onClose={onClose}
      size="sm"
    >
      <TextInput
        label="Permissions"
        description={`${OCTAL.test(mode) ? modeLabel(Number.parseInt(mode, 8)) : ''} for ${entry.owner}, ${entry.group} and all others`}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('mode')}
      />
    </FormDialog>
  )
}

/** A picture, drawn from the machine's bytes; its content is never executed. */
function ImageDialog({ agent, folder, entry, onClose }: FileDialogProps) {
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
    return <ErrorState message="Damaged picture, or a format that this browser does not support." />
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

/** A large folder takes time. */
const TIMEOUT_MS = 60_000

/** Changes files of a machine, and reads the folder again. */
function useChangeFile(agentId: string): (change: FileChange) => Promise<{ count: number }> {
  const queryClient = useQueryClient()
  return async (change) => {
    const params = { agent_id: agentId }
    try {
      return await call(changeFile, { params, body: change }, { timeoutMs: TIMEOUT_MS })
    } finally {
      // A folder that is still loading would show its state before the change.
      await queryClient.cancelQueries({ queryKey: queryKey(listFolder) })
      await queryClient.invalidateQueries({ queryKey: queryKey(listFolder) })
    }
  }
}

/** A small text, shown and edited. Changes by others meanwhile are not overwritten. */
function EditTextDialog({ agent, folder, entry, onClose }: FileDialogProps) {
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
      notifyDone(`${showRaw(file.path)} saved.`)
      onClose()
      await queryClient.invalidateQueries({ queryKey: queryKey(listFolder) })
    },
  })
  const isConflict = error instanceof ApiError && error.code === 'changed_meanwhile'
  const question = useLeaveQuestion(() => isDirty && !isSuccess)
  // This dialog has no address, so the question above would not notice its closing.
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
                Discard changes and reload
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
              {isConflict ? 'Overwrite file' : 'Save'}
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

/** Props of every dialog about a file. `folder` is a path without links. */
interface FileDialogProps {
  agent: Pick<AgentDetail, 'agent_id' | 'hostname' | 'plat'>
  folder: string
  entry: FileEntry
  onClose: () => void
}
