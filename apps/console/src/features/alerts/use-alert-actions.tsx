import type { Alert, AlertAction } from '@muster/contract/api/alerts'
import {
  IconBell,
  IconBellPause,
  IconChartLine,
  IconCircleCheck,
  IconDeviceDesktop,
  IconNotes,
  IconUserCheck,
} from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Stack, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { divider, type MenuEntry } from '../../ui/dialog/menu-entry.ts'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { notifyDone } from '../../app/shell/notify.ts'
import { unlessAllowed } from '../../app/shell/row-actions.ts'
import { AlertNames, SnoozeDialog } from './SnoozeDialog.tsx'
import classes from './AlertDialogs.module.css'
import { countAlerts } from './alert-labels.ts'
import { refreshAlerts } from './alerts-query.ts'
import { type AlertChange, type AlertGroup, countNamed, describeChange, sendChange } from './send-change.ts'

export interface AlertActions {
  mayManage: boolean
  /** Asks for a note or a time, then applies the action. */
  ask: (
    action: 'acknowledge' | 'snooze' | 'resolve',
    alerts: readonly Alert[],
    /** All alerts of this cause, instead of `alerts`. */
    group?: AlertGroup,
  ) => void
  menuOf: (alert: Alert) => MenuEntry[]
  /** The open question, if any. */
  dialog: ReactNode
}

/** All actions on alerts. `onDone`: clears the selection. */
export function useAlertActions(onDone?: () => void): AlertActions {
  const mayManage = useMay('can_manage_alerts')
  const { open } = useDialog()
  const navigate = useNavigate()
  const change = useChangeAlerts()
  const [asked, setAsked] = useState<{
    action: 'acknowledge' | 'snooze' | 'resolve'
    alerts: readonly Alert[]
    group: AlertGroup | undefined
  }>()
  const ask: AlertActions['ask'] = (action, alerts, group) => setAsked({ action, alerts, group })
  const menuOf = (alert: Alert): MenuEntry[] => {
    const { agent_id, check_id } = alert
    const item = (action: AlertAction, label: string, icon: typeof IconBell, run: () => void): MenuEntry[] =>
      fits(action, alert) ? [{ id: action, label, icon, disabledReason: unlessAllowed(mayManage), run }] : []
    const takeBack = (action: AlertAction) => () => change.mutate({ action, alerts: [alert] })
    const changes = [
      ...item('acknowledge', 'Acknowledge …', IconUserCheck, () => ask('acknowledge', [alert])),
      ...item('unacknowledge', 'Remove acknowledgement', IconBell, takeBack('unacknowledge')),
      ...item('snooze', 'Snooze …', IconBellPause, () => ask('snooze', [alert])),
      ...item('unsnooze', 'End snooze', IconBell, takeBack('unsnooze')),
      ...item('resolve', 'Resolve …', IconCircleCheck, () => ask('resolve', [alert])),
    ]
    return [
      {
        id: 'open',
        label: 'Details',
        icon: IconNotes,
        shortcut: 'Enter',
        run: () => open('alert', alert.id),
      },
      ...(agent_id === null
        ? []
        : [
            {
              id: 'machine',
              label: 'Go to machine',
              icon: IconDeviceDesktop,
              run: () => void navigate({ to: '/agents/$agent_id', params: { agent_id } }),
            },
          ]),
      ...(check_id === null
        ? []
        : [
            {
              id: 'history',
              label: 'Check history',
              icon: IconChartLine,
              run: () => open('check-history', check_id),
            },
          ]),
      ...(changes.length === 0 ? [] : [divider('changes'), ...changes]),
    ]
  }
  const close = () => setAsked(undefined)
  const more = onDone === undefined ? {} : { onDone }
  const dialog =
    asked === undefined ? null : asked.action === 'snooze' ? (
      <SnoozeDialog alerts={asked.alerts} group={asked.group} onClose={close} {...more} />
    ) : (
      <NoteDialog action={asked.action} alerts={asked.alerts} group={asked.group} onClose={close} {...more} />
    )
  return { mayManage, ask, menuOf, dialog }
}

interface NoteDialogProps {
  action: 'acknowledge' | 'resolve'
  alerts: readonly Alert[]
  group: AlertGroup | undefined
  onDone?: () => void
  onClose: () => void
}

const WORDS = {
  acknowledge: {
    verb: 'Acknowledge',
    means: 'The alert stays open. Others see your name, and reminders stop.',
    meanMany: 'The alerts stay open. Others see your name, and reminders stop.',
  },
  resolve: {
    verb: 'Resolve',
    means: 'Closes the alert. A new one opens if the cause persists.',
    meanMany: 'Closes the alerts. New ones open where the cause persists.',
  },
} as const

/** Acknowledges or resolves alerts, with an optional note. */
function NoteDialog({ action, alerts, group, onDone, onClose }: NoteDialogProps) {
  const queryClient = useQueryClient()
  const form = useForm({ initialValues: { note: '' } })
  const { verb, means, meanMany } = WORDS[action]
  const count = countNamed({ alerts, group })
  const isOne = count === 1
  return (
    <FormDialog
      title={isOne ? `${verb} alert` : `${verb} ${countAlerts(count)}`}
      size="sm"
      form={form}
      save={async ({ note }) => {
        const change = { action, alerts, group, note }
        notifyDone(describeChange(change, await sendChange(change)))
        await refreshAlerts(queryClient)
        onDone?.()
      }}
      submitLabel={verb}
      mayStayUnchanged
      onClose={onClose}
    >
      <Stack gap="md">
        <AlertNames alerts={alerts} group={group} />
        <p className={classes.means}>{isOne ? means : meanMany}</p>
        <Textarea
          label="Note"
          description="Optional, kept in the log"
          autosize
          minRows={2}
          maxRows={6}
          maxLength={4000}
          data-autofocus
          {...form.getInputProps('note')}
        />
      </Stack>
    </FormDialog>
  )
}

/** Acknowledges, snoozes or resolves alerts, or reverts that; notifies about success or failure. */
export function useChangeAlerts() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (change: AlertChange) => sendChange(change),
    onSuccess: (changed, change) => notifyDone(describeChange(change, changed)),
    // Also after an error, which may come from an outdated state.
    onSettled: () => refreshAlerts(queryClient),
  })
}

/** Whether an action makes sense for an alert in its state; the server decides finally. */
export function fits(action: AlertAction, { state }: Pick<Alert, 'state'>): boolean {
  switch (action) {
    case 'acknowledge':
      return state === 'open' || state === 'snoozed'
    case 'unacknowledge':
      return state === 'acknowledged'
    case 'snooze':
    case 'resolve':
      return state !== 'resolved'
    case 'unsnooze':
      return state === 'snoozed'
  }
}
