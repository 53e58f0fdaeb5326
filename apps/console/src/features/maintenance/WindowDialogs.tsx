import { useForm } from '@mantine/form'
import { listAgents } from '@muster/contract/api/agents'
import { listClients } from '@muster/contract/api/clients'
import {
  createMaintenanceWindow,
  deleteMaintenanceWindow,
  editMaintenanceWindow,
  listMaintenanceWindows,
  type MaintenanceSchedule,
  type MaintenanceWindow,
} from '@muster/contract/api/maintenance'
import type { Output } from '@muster/contract/endpoint'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { nextOccurrences, type Occurrence, occurrenceAt } from '@muster/rules/schedules/maintenance-schedule'
import { wallClockAt } from '@muster/rules/schedules/zone-time'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { GuardedDialog, StateDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { call, query } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { notify, notifyDone, notifyUndo } from '../../app/shell/notify.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { clientsQuery } from '../../app/api/queries.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { useNow } from '../../ui/layout/use-now.ts'
import { CHECKED_ITEM, readCheckedMachines } from '../agents/checked-machines.ts'
import { ownTimeZone } from '../setup/time-zones.ts'
import { useDateFormat } from '../../ui/layout/date-format.ts'
import { WindowFields } from './WindowFields.tsx'
import { groupTargets, windowsQuery } from './target-choices.ts'
import { readTarget } from './window-state.ts'
import { checkForm, newForm, readForm, toSchedule, type WindowForm } from './window-form.ts'
import { describeTargets } from './window-state.ts'
import classes from './Maintenance.module.css'
import { describeSchedule } from './schedule-labels.ts'

const NOW_EVERY_MS = 10_000

/** Maintenance for the targets in `item` (`site-2`, several with dots between, or the checked machines), or chosen here. */
export function AddMaintenanceDialog({ item = '', close }: AddressedDialogProps) {
  const targets = (
    item === CHECKED_ITEM ? [...readCheckedMachines().ids].map((id) => `agent-${id}`) : item.split('.')
  ).filter((text) => readTarget(text) !== undefined)
  return (
    <GuardedDialog title="Plan maintenance" needs="can_edit_agent" onClose={close}>
      <WindowFormDialog
        title="Plan maintenance"
        initialValues={newForm(targets, ownTimeZone())}
        close={close}
      />
    </GuardedDialog>
  )
}

/** Edits the window in `item`. */
export function EditMaintenanceDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Edit maintenance" needs="can_edit_agent" onClose={close}>
      <EditWindow id={item} close={close} />
    </GuardedDialog>
  )
}

function EditWindow({ id, close }: { id: string; close: () => void }) {
  const title = 'Edit maintenance'
  const { data: windows, error, refetch } = useQuery(windowsQuery)
  const window = windows?.find((candidate) => `${candidate.id}` === id)
  if (windows === undefined) {
    return <StateDialog title={title} onClose={close} error={error} onRetry={() => void refetch()} />
  }
  if (window === undefined) {
    return (
      <Dialog title={title} onClose={close}>
        <EmptyState message="Maintenance window not found. You may not have access to it." />
      </Dialog>
    )
  }
  return (
    <WindowFormDialog
      key={window.id}
      title={title}
      initialValues={readForm(window)}
      window={window}
      close={close}
    />
  )
}

interface WindowFormDialogProps {
  title: string
  initialValues: WindowForm
  /** The edited window; absent = a new one. */
  window?: MaintenanceWindow
  close: () => void
}

function WindowFormDialog({ title, initialValues, window: given, close }: WindowFormDialogProps) {
  // The form keeps its initial values while others change the window; the server reports conflicts.
  const [window] = useState(given)
  const queryClient = useQueryClient()
  const nowMs = useNow(NOW_EVERY_MS)
  const zone = ownTimeZone()
  const form = useForm<WindowForm>({
    initialValues,
    validate: (values) => checkForm(values, zone),
    validateInputOnChange: true,
  })
  const notifyAdded = useNotifyAdded()
  const groups = useTargetGroups(window?.targets ?? [])
  const { values } = form
  const isValid = Object.keys(checkForm(values, zone, nowMs)).every((field) => field === 'targets')
  const save = async () => {
    const schedule = toSchedule(values, zone)
    // Save is disabled while checkForm finds an error.
    if (schedule === undefined) return
    const targets = values.targets.map(readTarget).filter((target) => target !== undefined)
    const body = { reason: values.reason, targets, schedule }
    if (window === undefined) notifyAdded(await call(createMaintenanceWindow, { body }))
    else {
      const { id, modified } = window
      await call(editMaintenanceWindow, { params: { id }, body: { ...body, modified } })
      notifyDone('Maintenance planned.')
    }
    void queryClient.invalidateQueries({ queryKey: queryKey(listMaintenanceWindows) })
    void queryClient.invalidateQueries({ queryKey: queryKey(listClients) })
  }
  return (
    <FormDialog
      title={title}
      form={form}
      save={save}
      submitLabel={
        window === undefined ? (values.when === 'now' ? 'Start maintenance' : 'Plan maintenance') : 'Save'
      }
      mayStayUnchanged={window === undefined}
      onClose={close}
    >
      <WindowFields form={form} targets={groups} mayBeNow={window === undefined} />
      <WindowPreview
        schedule={isValid ? toSchedule(values, zone, nowMs) : undefined}
        isNow={values.when === 'now'}
        coversMore={values.targets.some((target) => !target.startsWith('agent-'))}
        nowMs={nowMs}
      />
    </FormDialog>
  )
}

/** Notifies about the new window, with Undo where that restores the earlier state. */
function useNotifyAdded() {
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: ({ id }: MaintenanceWindow) => call(deleteMaintenanceWindow, { params: { id } }),
    onSuccess: (_, window) => {
      notifyDone(`Maintenance of ${describeTargets(window)} cancelled.`)
      void queryClient.invalidateQueries({ queryKey: queryKey(listMaintenanceWindows) })
      void queryClient.invalidateQueries({ queryKey: queryKey(listClients) })
    },
  })
  return (window: Output<typeof createMaintenanceWindow>) => {
    const { active, taken_over: takenOver } = window
    const message = `Maintenance of ${describeTargets(window)} ${active ? 'has started' : 'is planned'}.`
    if (takenOver === 0) notifyUndo(message, () => remove.mutate(window))
    else {
      const caption = `Also sets the end time of ${takenOver} ${takenOver === 1 ? 'machine' : 'machines'} without one.`
      notify(message, { tone: 'positive', preset: 'feedback', timeoutMs: 5000, caption })
    }
  }
}

/** The possible targets, with machine names; users who may not list clients see the rest. */
function useTargetGroups(known: MaintenanceWindow['targets']) {
  const { data: clients = [] } = useQuery(clientsQuery)
  const { data: machines = [] } = useQuery({
    ...query(listAgents, { query: { detail: 'false' } }),
    gcTime: 0,
  })
  return useMemo(() => groupTargets(clients, machines, known), [clients, machines, known])
}

const TIMES_SHOWN = 3

interface WindowPreviewProps {
  /** Undefined while the form is invalid. */
  schedule: MaintenanceSchedule | undefined
  /** Starts as soon as it is saved. */
  isNow: boolean
  coversMore: boolean
  nowMs: number
}

/** A summary of the window, with its next times. */
function WindowPreview({ schedule, isNow, coversMore, nowMs }: WindowPreviewProps) {
  return (
    <section className={classes.preview} aria-label="Preview">
      {schedule === undefined ? (
        <p className="dim">Complete the fields above to see the next times.</p>
      ) : (
        <Times schedule={schedule} isNow={isNow} nowMs={nowMs} />
      )}
      <p className="dim">
        Alerts are suppressed. Checks continue.
        {coversMore && ' Includes machines added later.'}
      </p>
    </section>
  )
}

function Times({ schedule, isNow, nowMs }: { schedule: MaintenanceSchedule; isNow: boolean; nowMs: number }) {
  const format = useDateFormat()
  const on = occurrenceAt(schedule, nowMs)
  const next = nextOccurrences(schedule, nowMs, TIMES_SHOWN)
  return (
    <>
      {isNow ? (
        <p className="strong">
          {on?.endMs === null || on === undefined
            ? 'Starts now, no end time.'
            : `Starts now, ends ${format(on.endMs)}.`}
        </p>
      ) : (
        <p className="strong">{describeSchedule(schedule)}</p>
      )}
      {!isNow && on !== undefined && (
        <p>Active now{on.endMs === null ? '' : `, until ${format(on.endMs)}`}.</p>
      )}
      {!isNow && on === undefined && next.length === 0 && <p>Ended: no more times to come.</p>}
      {next.length > 0 && (
        <ul className={classes.times} aria-label="Next times">
          {next.map((occurrence) => (
            <li key={occurrence.startMs}>
              {format(occurrence.startMs)}
              {occurrence.endMs !== null && ` to ${format(occurrence.endMs)}`}
              <Elsewhere zone={schedule.time_zone} occurrence={occurrence} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** The time in the window's zone, if it differs from this browser's. */
function Elsewhere({ zone, occurrence: { startMs } }: { zone: string; occurrence: Occurrence }) {
  const there = wallClockAt(zone, startMs)
  if (there === wallClockAt(ownTimeZone(), startMs)) return null
  return (
    <span className="dim">
      {' '}
      ({new Date(there).toISOString().slice(11, 16)} in {zone})
    </span>
  )
}
