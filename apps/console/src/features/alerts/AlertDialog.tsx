import { Button, Textarea } from '@mantine/core'
import {
  type Alert,
  type AlertActionRun,
  type AlertEscalation,
  type AlertLogEntry,
  type AlertLogKind,
  noteAlert,
} from '@muster/contract/api/alerts'
import { ApiError } from '@muster/contract/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import {
  type Icon,
  IconBell,
  IconBellOff,
  IconBellPause,
  IconCircleCheck,
  IconCircleDot,
  IconCircleOff,
  IconCircleX,
  IconMailCheck,
  IconMailOff,
  IconMailX,
  IconNote,
  IconPlayerPlay,
  IconRepeat,
  IconStairsUp,
  IconTrendingUp,
  IconUserCheck,
} from '@tabler/icons-react'
import { GuardedDialog, StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { useMay } from '../../app/api/queries.ts'
import { useLeaveQuestion } from '../../app/dialogs/use-leave-question.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { OutputBox } from '../../ui/layout/OutputBox.tsx'
import { endedOutput } from '../runs/output-text.ts'
import { Time } from '../../ui/layout/Time.tsx'
import { call } from '../../app/api/api.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import classes from './AlertDialog.module.css'
import { AlertFacts } from './AlertFacts.tsx'
import { AlertNotifications } from './AlertNotifications.tsx'
import { SnoozeDialog } from './SnoozeDialog.tsx'
import { fits, useChangeAlerts } from './use-alert-actions.tsx'
import { alertQuery, refreshAlerts } from './alerts-query.ts'
import { LOG_LABELS } from './alert-labels.ts'

const TITLE = 'Alert'

/** The alert in the address: its facts, its log, and its actions. */
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
        <EmptyState message="Alert not found. You may not have access to it." />
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
  alert: Alert & { log: AlertLogEntry[]; actions: AlertActionRun[]; escalation: AlertEscalation | null }
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
                Remove acknowledgement
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
        <AlertNotifications id={alert.id} escalation={alert.escalation} />
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

const TITLES = { failure: 'Failure action', resolved: 'Resolved action' } as const

/** An action that an alert template started, and its result. */
export function AlertActions({ actions }: { actions: readonly AlertActionRun[] }) {
  return actions.map((action) => (
    <section key={action.kind} aria-label={TITLES[action.kind]} className={classes.action}>
      <h3 className={classes.heading}>{TITLES[action.kind]}</h3>
      <div className={classes.entryHead}>
        <bdi className={classes.kind}>{action.name}</bdi>
        <span>{stateOf(action)}</span>
        <bdi className="dim">by the template {action.template}</bdi>
        <span className={classes.at}>
          <Time instant={action.ended ?? action.created} />
        </span>
      </div>
      {action.ended !== null && action.state !== 'called_off' && (
        <div className={classes.output}>
          <OutputBox
            label={`Output of the ${TITLES[action.kind].toLowerCase()}`}
            segments={endedOutput(action.output, '')}
            empty="No output"
            growing={false}
          />
        </div>
      )}
    </section>
  ))
}

/** `done after 0.3 s, exit code 0`. */
function stateOf({ state, retcode, execution_time, history_id }: AlertActionRun): string {
  if (state === 'waiting') return 'about to run'
  if (state === 'running') return history_id === null ? 'sending' : 'sent to the machine'
  if (state === 'called_off') return 'cancelled'
  const took = execution_time === null ? '' : ` after ${execution_time.toFixed(1)} s`
  const code = retcode === null ? '' : `, ${history_id === null ? 'status' : 'exit code'} ${retcode}`
  return `${state === 'done' ? 'done' : 'failed'}${took}${code}`
}

interface NoteBoxProps {
  alert: Pick<Alert, 'id' | 'state'>
  note: string
  onChange: (note: string) => void
}

/** A note for the log: on its own, or with the next action. */
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
        placeholder={state === 'resolved' ? 'Cause of the alert' : 'Findings or next steps'}
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

const ICONS: Record<AlertLogKind, Icon> = {
  opened: IconCircleDot,
  severity_changed: IconTrendingUp,
  held: IconBellOff,
  released: IconBell,
  acknowledged: IconUserCheck,
  unacknowledged: IconBell,
  snoozed: IconBellPause,
  unsnoozed: IconBell,
  noted: IconNote,
  flapping: IconRepeat,
  resolved: IconCircleCheck,
  notice_sent: IconMailCheck,
  notice_held: IconMailOff,
  notice_failed: IconMailX,
  escalated: IconStairsUp,
  action_started: IconPlayerPlay,
  action_done: IconCircleCheck,
  action_failed: IconCircleX,
  action_called_off: IconCircleOff,
}
const TONES: Partial<Record<AlertLogKind, 'positive' | 'negative'>> = {
  resolved: 'positive',
  notice_failed: 'negative',
  action_done: 'positive',
  action_failed: 'negative',
}

/** The log of an alert, oldest first. */
export function AlertLog({ log }: { log: readonly AlertLogEntry[] }) {
  const id = useId()
  if (log.length === 0) return null
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className={classes.heading}>
        Log
      </h3>
      <ol className="plain-list">
        {log.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ol>
    </section>
  )
}

function Entry({ entry: { at, kind, by, text } }: { entry: AlertLogEntry }) {
  const EntryIcon = ICONS[kind]
  return (
    <li className={classes.entry} data-tone={TONES[kind]}>
      <EntryIcon size={16} stroke={1.75} aria-hidden className={classes.entryIcon} />
      <div className={classes.entryText}>
        <div className={classes.entryHead}>
          <span className={classes.kind}>{LOG_LABELS[kind]}</span>
          {by !== '' && <bdi>by {by}</bdi>}
          <span className={classes.at}>
            <Time instant={at} />
          </span>
        </div>
        {text !== '' && (
          <p className={classes.note} dir="auto">
            {text}
          </p>
        )}
      </div>
    </li>
  )
}
