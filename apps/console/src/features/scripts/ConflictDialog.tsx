import { Button } from '@mantine/core'
import { getScript } from '@muster/contract/api/scripts'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import classes from './ScriptEditor.module.css'
import { type ScriptDraft, toDraft } from './script-form.ts'

interface ConflictDialogProps {
  id: number
  onKeep: () => void
  onLoad: (theirs: ScriptDraft) => void
  onOverwrite: () => void
}

/** Two have worked on one script: whose work stays is for the person to say. */
export function ConflictDialog({ id, onKeep, onLoad, onOverwrite }: ConflictDialogProps) {
  const load = useMutation({
    mutationFn: () => call(getScript, { params: { id } }),
    onSuccess: (script) => onLoad(toDraft(script)),
  })
  return (
    <Dialog
      title="Somebody else has saved this script"
      size="md"
      onClose={onKeep}
      footer={
        <>
          <Button variant="default" onClick={onKeep} data-autofocus>
            Keep editing
          </Button>
          <Button variant="default" loading={load.isPending} onClick={() => load.mutate()}>
            Discard mine and load theirs
          </Button>
          <Button color="negative" onClick={onOverwrite}>
            Overwrite theirs
          </Button>
        </>
      }
    >
      Since you opened it, it was changed elsewhere. Nothing of yours is saved yet.
    </Dialog>
  )
}

/** Told while one still writes, before a save is refused. */
export function OutdatedNote({ onLoad }: { onLoad: () => void }) {
  return (
    <div className={classes.outdated} role="status">
      Somebody else has saved this script while you work on it.
      <Button variant="default" onClick={onLoad}>
        Discard mine and load theirs
      </Button>
    </div>
  )
}
