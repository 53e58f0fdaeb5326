import { Radio, Stack, Textarea } from '@mantine/core'
import '@mantine/core/styles/Radio.css'
import { useForm } from '@mantine/form'
import type { Alert } from '@muster/contract/api/alerts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormDialog } from '../../app/dialogs/FormDialog.tsx'
import { notifyDone } from '../../app/shell/notify.ts'
import { useDateFormat } from '../../ui/layout/date-format.ts'
import classes from './AlertDialogs.module.css'
import { alertName, countAlerts } from './alert-labels.ts'
import { refreshAlerts } from './alerts-query.ts'
import { type AlertGroup, countNamed, describeChange, sendChange } from './send-change.ts'
import { checkSnooze, fromLocalText, listSnoozeChoices, toLocalText } from './snooze-choices.ts'
import { DateTimeField } from '../../ui/inputs/DateTimeField.tsx'
import { serverNow } from '../../ui/layout/server-clock.ts'

interface SnoozeDialogProps {
  alerts: readonly Alert[]
  group?: AlertGroup | undefined
  /** A note that the opening dialog already contains. */
  note?: string
  onDone?: () => void
  onClose: () => void
}

const OWN = 'own'

/** Snoozes alerts until a time; then they open again and notify once more if the cause persists. */
export function SnoozeDialog({ alerts, group, note = '', onDone, onClose }: SnoozeDialogProps) {
  const queryClient = useQueryClient()
  const format = useDateFormat()
  // Time of opening: choices do not move under the pointer.
  const [choices] = useState(() => listSnoozeChoices(serverNow()))
  const [usual] = choices
  const form = useForm({
    initialValues: { choice: 'reminder', own: usual === undefined ? '' : toLocalText(usual.untilMs), note },
    validate: ({ choice, own }) => {
      const wrong = choice === OWN ? checkSnooze(fromLocalText(own), serverNow()) : undefined
      return wrong === undefined ? {} : { own: wrong }
    },
    validateInputOnChange: true,
  })
  const { choice } = form.values
  const count = countNamed({ alerts, group })
  const save = async (values: typeof form.values) => {
    const chosen = choices.find(({ value }) => value === values.choice)
    const untilMs = chosen === undefined ? fromLocalText(values.own) : chosen.untilMs
    if (untilMs === undefined) return
    const change = { action: 'snooze', alerts, group, note: values.note, untilMs } as const
    notifyDone(describeChange(change, await sendChange(change)))
    await refreshAlerts(queryClient)
    onDone?.()
  }
  return (
    <FormDialog
      title={count === 1 ? 'Snooze alert' : `Snooze ${countAlerts(count)}`}
      size="sm"
      form={form}
      save={save}
      submitLabel="Snooze"
      mayStayUnchanged
      onClose={onClose}
    >
      <Stack gap="md">
        <AlertNames alerts={alerts} group={group} />
        <Radio.Group label="Until" {...form.getInputProps('choice')}>
          <Stack gap="sm" mt="sm">
            {choices.map(({ value, label, untilMs }) => (
              <Radio
                key={value}
                size="xs"
                value={value}
                label={
                  <>
                    {label} <span className={classes.dim}>{format(untilMs)}</span>
                  </>
                }
                {...(value === choice ? { 'data-autofocus': true } : {})}
              />
            ))}
            <Radio size="xs" value={OWN} label="Custom time" />
          </Stack>
        </Radio.Group>
        {choice === OWN && <DateTimeField label="Date and time" {...form.getInputProps('own')} />}
        <Textarea
          label="Note"
          description="Optional, kept in the alert log"
          autosize
          minRows={2}
          maxRows={6}
          maxLength={4000}
          {...form.getInputProps('note')}
        />
      </Stack>
    </FormDialog>
  )
}

/** The message of one alert, or the cause of many. */
export function AlertNames({ alerts, group }: { alerts: readonly Alert[]; group?: AlertGroup | undefined }) {
  const [first] = alerts
  const name =
    group?.cause.name ?? (alerts.length === 1 && first !== undefined ? alertName(first) : undefined)
  if (name === undefined) return null
  return (
    <p className={classes.about} dir="auto">
      {name}
    </p>
  )
}
