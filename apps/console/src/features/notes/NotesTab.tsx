import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { deleteNote, listNotes, type Note } from '@muster/contract/api/notes'
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { useQueryPane } from '../../app/dialogs/use-query-pane.tsx'
import { ConfirmDialog } from '../../ui/dialog/ConfirmDialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import { CsvButton } from '../../ui/table/CsvButton.tsx'
import classes from './NotesTab.module.css'
import { countLabel, excerptOf, notesTable } from './note-text.ts'

/** Notes about a machine, newest first; live. */
export function NotesTab({ agentId }: { agentId: string }) {
  const mayManage = useMay('can_manage_notes')
  const { open } = useDialog()
  const options = query(listNotes, { params: { agent_id: agentId }, query: {} })
  const { data: notes, instead } = useQueryPane(options, {
    needs: 'can_list_notes',
    refused: 'Your role does not allow you to see notes.',
  })
  if (notes === undefined) return instead
  const add = (
    <Button
      variant="default"
      leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
      onClick={() => open('add-note', agentId)}
    >
      Add note
    </Button>
  )
  if (notes.length === 0) {
    return <EmptyState message="No notes yet.">{mayManage && add}</EmptyState>
  }
  return (
    <div className={classes.tab}>
      <div className={classes.head}>
        <span className={classes.dim}>{countLabel(notes.length)}</span>
        <div className={classes.buttons}>
          <CsvButton of="notes" fileName="notes.csv" table={() => notesTable(notes)} />
          {mayManage && add}
        </div>
      </div>
      <ul className={classes.list} aria-label="Notes">
        {notes.map((note) => (
          <NoteCard key={note.pk} note={note} mayManage={mayManage} />
        ))}
      </ul>
    </div>
  )
}

/** Longer texts are cut until expanded. */
const CUT_AFTER = 1500

function NoteCard({ note, mayManage }: { note: Note; mayManage: boolean }) {
  const [whole, setWhole] = useState(false)
  const [asking, setAsking] = useState(false)
  const isLong = note.note.length > CUT_AFTER
  return (
    <li className={classes.card}>
      <div className={classes.cardHead}>
        <span className="cut strong">{note.username}</span>
        <span className={classes.dim}>
          <Time instant={note.entry_time} />
        </span>
        {mayManage && <NoteActions note={note} onDelete={() => setAsking(true)} />}
      </div>
      <p className={classes.text} dir="auto">
        {isLong && !whole ? `${note.note.slice(0, CUT_AFTER)} …` : note.note}
      </p>
      {isLong && (
        <Button variant="subtle" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? 'Show less' : 'Show all'}
        </Button>
      )}
      {asking && <DeleteNote note={note} onClose={() => setAsking(false)} />}
    </li>
  )
}

function NoteActions({ note: { pk }, onDelete }: { note: Note; onDelete: () => void }) {
  const { open } = useDialog()
  return (
    <span className={classes.actions}>
      <Tooltip label="Edit note">
        <ActionIcon aria-label="Edit note" onClick={() => open('edit-note', pk)}>
          <IconPencil size={16} stroke={1.75} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Delete note">
        <ActionIcon aria-label="Delete note" onClick={onDelete}>
          <IconTrash size={16} stroke={1.75} />
        </ActionIcon>
      </Tooltip>
    </span>
  )
}

function DeleteNote({ note, onClose }: { note: Note; onClose: () => void }) {
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => call(deleteNote, { params: { pk: note.pk } }),
    onSuccess: async () => {
      notifyDone('Note deleted.')
      await queryClient.invalidateQueries({ queryKey: queryKey(listNotes) })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title="Delete this note?"
      message={<span dir="auto">“{excerptOf(note.note)}”</span>}
      confirmLabel="Delete"
      danger
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  )
}
