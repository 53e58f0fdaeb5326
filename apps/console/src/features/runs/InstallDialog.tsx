import { Button } from '@mantine/core'
import type { AgentHistory } from '@muster/contract/api/runs'
import { isFinal } from '@muster/rules/agents/history-state'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import classes from './RunDialog.module.css'
import { RunView, useRun } from './RunView.tsx'

interface InstallDialogProps {
  title: string
  /** Description of the installation, shown before it starts. */
  message: ReactNode
  confirmLabel: string
  /** Why it cannot start yet. */
  why?: string | undefined
  start: () => Promise<AgentHistory>
  /** The action after success: a button. */
  next?: ReactNode
  onClose: () => void
}

/** Asks before an installation, then shows its output. Closing does not stop it. */
export function InstallDialog({ start, why, onClose, ...texts }: InstallDialogProps) {
  const { title, message, confirmLabel } = texts
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: start,
    meta: { errorsShown: true },
  })
  if (data !== undefined) return <InstallRun {...texts} id={data.id} onClose={onClose} />
  return (
    <Dialog
      title={title}
      onClose={onClose}
      why={why}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={isPending} disabled={why !== undefined} onClick={() => mutate()}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      {error !== null && <FormError error={error} />}
      {message}
    </Dialog>
  )
}

type InstallRunProps = Pick<InstallDialogProps, 'title' | 'next' | 'onClose'> & { id: number }

/** An installation, running or ended. */
export function InstallRun({ title, id, next, onClose }: InstallRunProps) {
  const { data } = useRun(id)
  const isWell = data?.history.state === 'done' && data.history.retcode === 0
  return (
    <Dialog
      title={title}
      onClose={onClose}
      size="lg"
      footer={
        <>
          {data !== undefined && !isFinal(data.history.state) && (
            <span className={classes.keys}>Closing does not stop it.</span>
          )}
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          {isWell && next}
        </>
      }
    >
      <div className={classes.run}>
        <RunView id={id} />
      </div>
    </Dialog>
  )
}
