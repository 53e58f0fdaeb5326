import { Button, Textarea } from '@mantine/core'
import { type Alert, noteAlert } from '@muster/contract/api/alerts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import classes from './AlertDialog.module.css'
import { refreshAlerts } from './alerts-query.ts'

interface NoteBoxProps {
  alert: Pick<Alert, 'id' | 'state'>
  note: string
  onChange: (note: string) => void
}

/** A note that goes into the log: by itself, or along with what is done next. */
export function NoteBox({ alert: { id, state }, note, onChange }: NoteBoxProps) {
  const queryClient = useQueryClient()
  const add = useMutation({
    mutationFn: () => call(noteAlert, { params: { id }, body: { note: note.trim() } }),
    onSuccess: async () => {
      onChange('')
      notifyDone('Note added.')
      await refreshAlerts(queryClient)
    },
  })
  const canAdd = note.trim() !== '' && !add.isPending
  return (
    <form
      className={classes.noteBox}
      onSubmit={(event) => {
        event.preventDefault()
        if (canAdd) add.mutate()
      }}
    >
      <Textarea
        label="Note"
        placeholder={state === 'resolved' ? 'What it was' : 'What you know, or what you are doing about it'}
        autosize
        minRows={1}
        maxRows={8}
        maxLength={4000}
        value={note}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && canAdd) add.mutate()
        }}
      />
      <Button type="submit" variant="default" disabled={!canAdd} loading={add.isPending}>
        Add note
      </Button>
    </form>
  )
}
