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
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { type MenuEntry, divider } from '../../ui/dialog/menu-entry.ts'
import { NoteDialog } from './NoteDialog.tsx'
import { SnoozeDialog } from './SnoozeDialog.tsx'
import { fits } from './alert-can.ts'
import { useChangeAlerts } from './use-change-alerts.ts'

const NOT_ALLOWED = 'Your role does not allow it.'

export interface AlertActions {
  mayManage: boolean
  /** Asks what else there is to know (a note, until when), then does it. */
  ask: (action: 'acknowledge' | 'snooze' | 'resolve', alerts: readonly Alert[]) => void
  menuOf: (alert: Alert) => MenuEntry[]
  /** What is being asked, if anything. */
  dialog: ReactNode
}

/** All that can be done with alerts. `onDone`: the checked ones have been seen to. */
export function useAlertActions(onDone?: () => void): AlertActions {
  const mayManage = useMay('can_manage_alerts')
  const { open } = useDialog()
  const navigate = useNavigate()
  const change = useChangeAlerts()
  const [asked, setAsked] = useState<{
    action: 'acknowledge' | 'snooze' | 'resolve'
    alerts: readonly Alert[]
  }>()
  const ask: AlertActions['ask'] = (action, alerts) => setAsked({ action, alerts })
  const menuOf = (alert: Alert): MenuEntry[] => {
    const { agent_id, check_id } = alert
    const item = (action: AlertAction, label: string, icon: typeof IconBell, run: () => void): MenuEntry[] =>
      fits(action, alert)
        ? [{ id: action, label, icon, disabledReason: mayManage ? undefined : NOT_ALLOWED, run }]
        : []
    const takeBack = (action: AlertAction) => () => change.mutate({ action, alerts: [alert] })
    const changes = [
      ...item('acknowledge', 'Acknowledge …', IconUserCheck, () => ask('acknowledge', [alert])),
      ...item('unacknowledge', 'Take acknowledgement back', IconBell, takeBack('unacknowledge')),
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
              label: 'Go to the machine',
              icon: IconDeviceDesktop,
              run: () => void navigate({ to: '/agents/$agent_id', params: { agent_id } }),
            },
          ]),
      ...(check_id === null
        ? []
        : [
            {
              id: 'history',
              label: 'History of the check',
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
      <SnoozeDialog alerts={asked.alerts} onClose={close} {...more} />
    ) : (
      <NoteDialog action={asked.action} alerts={asked.alerts} onClose={close} {...more} />
    )
  return { mayManage, ask, menuOf, dialog }
}
