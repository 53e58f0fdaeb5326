import { Button } from '@mantine/core'
import type { Alert, AlertActionRun, AlertLogEntry } from '@muster/contract/api/alerts'
import { ApiError } from '@muster/contract/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { GuardedDialog, StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/dialogs.tsx'
import { useMay } from '../../app/api/queries.ts'
import { useLeaveQuestion } from '../../app/dialogs/use-leave-question.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import classes from './AlertDialog.module.css'
import { AlertActions } from './AlertActions.tsx'
import { AlertFacts } from './AlertFacts.tsx'
import { AlertLog } from './AlertLog.tsx'
import { NoteBox } from './NoteBox.tsx'
import { SnoozeDialog } from './SnoozeDialog.tsx'
import { fits } from './alert-can.ts'
import { alertQuery } from './alerts-query.ts'
import { useChangeAlerts } from './use-change-alerts.ts'

const TITLE = 'Alert'

/** The alert that the address names: all that is known, everything that happened to it, and what can be done. */
export function AlertDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_alerts" size="lg" onClose={close}>
      <LoadedAlert id={Number(item)} close={close} />
    </GuardedDialog>
  )
}

function LoadedAlert({ id, close }: { id: number; close: () => void }) {
  const { data: alert, error, refetch } = useQuery(alertQuery(id))
  if (error instanceof ApiError && (error.status === 404 || error.status === 400)) {
    return (
      <Dialog title={TITLE} size="lg" onClose={close}>
        <EmptyState message="This alert is not there any more, or you may not see it." />
      </Dialog>
    )
  }
  if (alert === undefined) {
    return (
      <StateDialog title={TITLE} size="lg" onClose={close} error={error} onRetry={() => void refetch()} />
    )
  }
  return <OpenedAlert alert={alert} close={close} />
}

interface OpenedAlertProps {
  alert: Alert & { log: AlertLogEntry[]; actions: AlertActionRun[] }
  close: () => void
}

function OpenedAlert({ alert, close }: OpenedAlertProps) {
  const mayManage = useMay('can_manage_alerts')
  const change = useChangeAlerts()
  const [note, setNote] = useState('')
  const [snoozing, setSnoozing] = useState(false)
  const hasNote = note.trim() !== ''
  const question = useLeaveQuestion(() => hasNote)
  const act = (action: 'acknowledge' | 'unacknowledge' | 'unsnooze' | 'resolve') =>
    change.mutate({ action, alerts: [alert], note }, { onSuccess: () => setNote('') })
  const busy = (action: string) => change.isPending && change.variables.action === action
  return (
    <>
      <Dialog
        title={TITLE}
        size="lg"
        onClose={close}
        persistent={hasNote}
        footer={
          <>
            <Button variant="default" onClick={close} data-autofocus>
              Close
            </Button>
            {mayManage && fits('unsnooze', alert) && (
              <Button variant="default" loading={busy('unsnooze')} onClick={() => act('unsnooze')}>
                End snooze
              </Button>
            )}
            {mayManage && fits('snooze', alert) && (
              <Button variant="default" onClick={() => setSnoozing(true)}>
                Snooze …
              </Button>
            )}
            {mayManage && fits('resolve', alert) && (
              <Button variant="default" loading={busy('resolve')} onClick={() => act('resolve')}>
                Resolve
              </Button>
            )}
            {mayManage && fits('unacknowledge', alert) && (
              <Button variant="default" loading={busy('unacknowledge')} onClick={() => act('unacknowledge')}>
                Take acknowledgement back
              </Button>
            )}
            {mayManage && fits('acknowledge', alert) && (
              <Button loading={busy('acknowledge')} onClick={() => act('acknowledge')}>
                Acknowledge
              </Button>
            )}
          </>
        }
      >
        <p className={classes.message} dir="auto">
          {alert.message}
        </p>
        <AlertFacts alert={alert} />
        <AlertActions actions={alert.actions} />
        {mayManage && <NoteBox alert={alert} note={note} onChange={setNote} />}
        <AlertLog log={alert.log} />
      </Dialog>
      {snoozing && (
        <SnoozeDialog
          alerts={[alert]}
          note={note}
          onDone={() => setNote('')}
          onClose={() => setSnoozing(false)}
        />
      )}
      {question}
    </>
  )
}
