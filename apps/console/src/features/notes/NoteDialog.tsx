import { Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { createNote, editNote, getNote, listNotes, type Note } from '@muster/contract/api/notes'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { KeyboardEvent } from 'react'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { GuardedDialog, StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { call, query } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { isGone } from '../agents/AgentError.tsx'

/** Adds a note to the machine in `item`. */
export function AddNoteDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Add note" needs="can_manage_notes" onClose={close}>
      <NoteForm
        title="Add note"
        note=""
        save={(note) => call(createNote, { body: { agent_id: item, note } })}
        done="Note added."
        close={close}
      />
    </GuardedDialog>
  )
}

/** Edits the note in `item`. */
export function EditNoteDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Edit note" needs="can_manage_notes" onClose={close}>
      <EditNote pk={item} close={close} />
    </GuardedDialog>
  )
}

function EditNote({ pk, close }: { pk: string; close: () => void }) {
  // No cached value: the form must start with the current text.
  const options = query(getNote, { params: { pk } })
  const { data, error, refetch } = useQuery({ ...options, gcTime: 0, staleTime: Infinity })
  if (data === undefined) {
    if (isGone(error)) {
      return (
        <Dialog title="Edit note" onClose={close}>
          <EmptyState message="Note not found. You may not have access to it." />
        </Dialog>
      )
    }
    return <StateDialog title="Edit note" onClose={close} error={error} onRetry={() => void refetch()} />
  }
  const { note }: Note = data
  return (
    <NoteForm
      title="Edit note"
      note={note}
      save={(text) => call(editNote, { params: { pk }, body: { note: text } })}
      done="Note saved."
      close={close}
    />
  )
}

interface NoteFormProps {
  title: string
  note: string
  save: (note: string) => Promise<unknown>
  done: string
  close: () => void
}

function NoteForm({ title, note, save, done, close }: NoteFormProps) {
  const queryClient = useQueryClient()
  const form = useForm({
    initialValues: { note },
    validateInputOnBlur: true,
    validate: { note: (text) => (text.trim() === '' ? 'Enter a text.' : null) },
  })
  return (
    <FormDialog
      title={title}
      size="lg"
      form={form}
      save={async (values) => {
        await save(values.note)
        await queryClient.invalidateQueries({ queryKey: queryKey(listNotes) })
      }}
      done={done}
      onClose={close}
    >
      <Textarea
        label="Text"
        description="Ctrl+Enter saves"
        autosize
        minRows={8}
        maxRows={24}
        maxLength={100_000}
        dir="auto"
        data-autofocus
        onKeyDown={submitByKeys}
        {...form.getInputProps('note')}
      />
    </FormDialog>
  )
}

function submitByKeys(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}
