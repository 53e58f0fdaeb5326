import { Text } from '@mantine/core'
import { deleteOnCallSchedule, type OnCallSchedule } from '@muster/contract/api/on-call'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../app/api/api.ts'
import { useMay } from '../../../app/api/queries.ts'
import { GuardedDialog } from '../../../app/dialogs/GuardedDialog.tsx'
import { ListDialog, NewButton } from '../../../app/dialogs/ListDialog.tsx'
import { RemoveDialog } from '../../../app/dialogs/RemoveDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../../app/dialogs/use-dialog.ts'
import { useNow } from '../../../ui/layout/use-now.ts'
import { EditAndDelete, ListRow, RowDetail } from '../../../ui/table/ListRows.tsx'
import { describeHandover, describeShifts, schedulesQuery } from './schedule-form.ts'
import { OnCallLine } from './OnCallLine.tsx'

const TITLE = 'On-call schedules'
const TICK_MS = 10_000

/** The on-call schedules, and who is on call now. */
export function SchedulesDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_alerttemplates" size="lg" onClose={close}>
      <Schedules close={close} />
    </GuardedDialog>
  )
}

function Schedules({ close }: { close: () => void }) {
  const mayManage = useMay('can_manage_alerttemplates')
  const { openRecord } = useRecordAddress('on-call-schedules', 'on-call-schedule')
  const schedules = useQuery(schedulesQuery)
  const [removing, setRemoving] = useState<OnCallSchedule>()
  return (
    <>
      <ListDialog
        title={TITLE}
        size="lg"
        onClose={close}
        rows={schedules}
        empty="No on-call schedules yet. A schedule says which user is notified at what time."
        create={mayManage && <NewButton onClick={() => openRecord('new')}>New schedule</NewButton>}
        searchText={({ name }) => name}
      >
        {(schedule) => (
          <ScheduleRow
            key={schedule.id}
            schedule={schedule}
            mayManage={mayManage}
            onEdit={() => openRecord(schedule.id)}
            onRemove={() => setRemoving(schedule)}
          />
        )}
      </ListDialog>
      {removing !== undefined && (
        <RemoveDialog
          title="Delete this on-call schedule?"
          message={
            <Text>
              <bdi>{removing.name}</bdi> notifies nobody any more.
            </Text>
          }
          remove={() => call(deleteOnCallSchedule, { params: { id: removing.id } })}
          done="On-call schedule deleted."
          stale={schedulesQuery.queryKey}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  )
}

interface ScheduleRowProps {
  schedule: OnCallSchedule
  mayManage: boolean
  onEdit: () => void
  onRemove: () => void
}

function ScheduleRow({ schedule, mayManage, onEdit, onRemove }: ScheduleRowProps) {
  const { name, users, members, used_by } = schedule
  const nowMs = useNow(TICK_MS)
  const [shift] = describeShifts(schedule, { users, nowMs, count: 1 })
  return (
    <ListRow
      name={name}
      tall
      actions={mayManage ? <EditAndDelete name={name} onEdit={onEdit} onDelete={onRemove} /> : null}
    >
      {shift !== undefined && (
        <div>
          <OnCallLine shift={shift} />
        </div>
      )}
      <RowDetail>
        {members.length} {members.length === 1 ? 'member' : 'members'}, hands over{' '}
        {describeHandover(schedule)} ({schedule.time_zone})
      </RowDetail>
      <RowDetail>
        {used_by.length === 0 ? (
          'Not used by an escalation chain.'
        ) : (
          <>
            Used by <bdi>{used_by.join(', ')}</bdi>
          </>
        )}
      </RowDetail>
    </ListRow>
  )
}
