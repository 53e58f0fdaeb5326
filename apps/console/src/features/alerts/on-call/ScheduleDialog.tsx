import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { ActionIcon, Button, MultiSelect, Select, Stack, TextInput, Tooltip } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { createOnCallSchedule, editOnCallSchedule, type OnCallSchedule } from '@muster/contract/api/on-call'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../app/api/api.ts'
import { FormDialog } from '../../../app/dialogs/FormDialog.tsx'
import { ChangedMeanwhile, RecordDialog } from '../../../app/dialogs/RecordDialog.tsx'
import { type AddressedDialogProps, useRecordAddress } from '../../../app/dialogs/use-dialog.ts'
import { useSaveInto } from '../../../app/dialogs/use-save-into.ts'
import { useNow } from '../../../ui/layout/use-now.ts'
import { DateTimeField } from '../../../ui/inputs/DateTimeField.tsx'
import { listTimeZones } from '../../setup/time-zones.ts'
import classes from '../escalations/Escalations.module.css'
import { OnCallLine } from './OnCallLine.tsx'
import {
  checkScheduleForm,
  describeHandover,
  describeShifts,
  newScheduleForm,
  readScheduleForm,
  schedulesQuery,
  type ScheduleForm,
  targetsQuery,
  toSchedule,
} from './schedule-form.ts'
import { serverNow } from '../../../ui/layout/server-clock.ts'

const SHOWN_SHIFTS = 4
const TICK_MS = 10_000

/** A new schedule (`new`) or an existing one (`3`). Closing leads to the list. */
export function ScheduleDialog({ item }: AddressedDialogProps) {
  const { openList } = useRecordAddress('on-call-schedules', 'on-call-schedule')
  const title = item === 'new' ? 'New on-call schedule' : 'On-call schedule'
  return (
    <RecordDialog
      list={schedulesQuery}
      item={item}
      title={title}
      needs="can_manage_alerttemplates"
      size="lg"
      gone="This on-call schedule does not exist any more."
      back="Show all schedules"
      onClose={openList}
    >
      {(schedule, onReload) => (
        <ScheduleFormDialog
          title={schedule === undefined ? title : `Edit ${schedule.name}`}
          schedule={schedule}
          onReload={onReload}
          onClose={openList}
        />
      )}
    </RecordDialog>
  )
}

interface ScheduleFormDialogProps {
  title: string
  /** The edited schedule, as it was when the form was opened. */
  schedule: OnCallSchedule | undefined
  onReload: (() => void) | undefined
  onClose: () => void
}

function ScheduleFormDialog({ title, schedule, onReload, onClose }: ScheduleFormDialogProps) {
  const saveInto = useSaveInto(schedulesQuery.queryKey)
  const [start] = useState(() =>
    schedule === undefined ? newScheduleForm(serverNow()) : readScheduleForm(schedule),
  )
  const form = useForm<ScheduleForm>({
    initialValues: start,
    validate: checkScheduleForm,
    validateInputOnBlur: true,
  })
  const save = (values: ScheduleForm) =>
    saveInto(async () => {
      const body = toSchedule(values)
      if (schedule === undefined) await call(createOnCallSchedule, { body })
      else {
        const { id, modified } = schedule
        await call(editOnCallSchedule, { params: { id }, body: { ...body, modified } })
      }
    })
  return (
    <FormDialog
      title={title}
      size="lg"
      form={form}
      save={save}
      done={schedule === undefined ? 'On-call schedule added.' : 'On-call schedule saved.'}
      submitLabel={schedule === undefined ? 'Add schedule' : 'Save'}
      onClose={onClose}
    >
      <ChangedMeanwhile what="this schedule" onReload={onReload} mb="md" />
      <ScheduleFields form={form} schedule={schedule} />
    </FormDialog>
  )
}

type Form = UseFormReturnType<ScheduleForm>

function ScheduleFields({ form, schedule }: { form: Form; schedule: OnCallSchedule | undefined }) {
  const { values } = form
  const { data } = useQuery(targetsQuery)
  const users = data?.users ?? schedule?.users ?? []
  const choices = userChoices(users, [...values.members, ...values.overrides.map(({ user }) => user ?? '')])
  const handover = describeHandover(values)
  return (
    <Stack gap="lg">
      <div className="stack">
        <TextInput label="Name" maxLength={100} data-autofocus {...form.getInputProps('name')} />
        <MultiSelect
          label="Members"
          description="In the order of their shifts"
          placeholder={values.members.length === 0 ? 'Users' : ''}
          data={choices}
          searchable
          hidePickedOptions
          nothingFoundMessage="No matches"
          {...form.getInputProps('members')}
        />
        <div className={classes.pair}>
          <Select
            label="Rotation"
            data={[
              { value: 'weekly', label: 'Every week' },
              { value: 'daily', label: 'Every day' },
            ]}
            allowDeselect={false}
            {...form.getInputProps('rotates')}
          />
          <DateTimeField
            label="First shift"
            description={handover === '' ? undefined : `Hands over ${handover}`}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            {...form.getInputProps('starts')}
          />
        </div>
        <Select
          label="Time zone"
          data={[...new Set([...listTimeZones(), values.time_zone])]}
          searchable
          allowDeselect={false}
          limit={200}
          nothingFoundMessage="No matching time zone"
          {...form.getInputProps('time_zone')}
        />
      </div>
      <Overrides form={form} choices={choices} />
      <Preview form={form} users={users} />
    </Stack>
  )
}

type Choice = { value: string; label: string }

/** Disabled and deleted users can stay, but not be added. */
function userChoices(
  users: readonly { id: number; name: string; is_active: boolean }[],
  picked: readonly string[],
): Choice[] {
  const known = new Map(users.map((user) => [`${user.id}`, user]))
  const active = users.filter(({ id, is_active }) => is_active || picked.includes(`${id}`))
  const gone = picked.filter((id) => id !== '' && !known.has(id))
  return [
    ...active.map(({ id, name, is_active }) => ({
      value: `${id}`,
      label: is_active ? name : `${name} (disabled)`,
    })),
    ...[...new Set(gone)].map((id) => ({ value: id, label: 'Deleted user' })),
  ]
}

/** Users who replace the member on call, and their times. */
function Overrides({ form, choices }: { form: Form; choices: Choice[] }) {
  const { overrides } = form.values
  return (
    <section className={classes.section} aria-label="Overrides">
      <h3 className={classes.legend}>Overrides</h3>
      <p className="note">Another user replaces the member on call. Times are in your time zone.</p>
      <div className="stack">
        {overrides.map((_, index) => (
          // Rows have no other identity, and only their fields have state.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index} className={classes.override} role="group" aria-label={`Override ${index + 1}`}>
            <Select
              label="User"
              data={choices}
              searchable
              {...form.getInputProps(`overrides.${index}.user`)}
            />
            <DateTimeField label="From" {...form.getInputProps(`overrides.${index}.from`)} />
            <DateTimeField label="Until" {...form.getInputProps(`overrides.${index}.to`)} />
            <Tooltip label="Remove">
              <ActionIcon
                className={classes.remove}
                aria-label={`Remove override ${index + 1}`}
                onClick={() => form.removeListItem('overrides', index)}
              >
                <IconTrash size={16} stroke={1.75} aria-hidden />
              </ActionIcon>
            </Tooltip>
          </div>
        ))}
        <div>
          <Button
            variant="default"
            leftSection={<IconPlus size={14} stroke={1.75} aria-hidden />}
            onClick={() => form.insertListItem('overrides', { user: null, from: '', to: '' })}
          >
            Add override
          </Button>
        </div>
      </div>
    </section>
  )
}

function Preview({ form, users }: { form: Form; users: OnCallSchedule['users'] }) {
  const nowMs = useNow(TICK_MS)
  const { name: _name, ...rest } = checkScheduleForm(form.values)
  const isComplete = Object.keys(rest).length === 0
  const shifts = isComplete
    ? describeShifts(toSchedule(form.values), { users, nowMs, count: SHOWN_SHIFTS })
    : []
  return (
    <section className={classes.section} aria-label="Preview">
      <h3 className={classes.legend}>Preview</h3>
      {shifts.length === 0 ? (
        <p className="note">Choose members to see who is on call.</p>
      ) : (
        <ol className={classes.shifts}>
          {shifts.map((shift) => (
            <li key={shift.key}>
              <OnCallLine shift={shift} />
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
