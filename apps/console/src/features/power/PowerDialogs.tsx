import { Checkbox, Text } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { planReboot, rebootAgent, shutdownAgent, signOutUser } from '@muster/contract/api/power'
import { useMutation } from '@tanstack/react-query'
import { useForm } from '@mantine/form'
import { nextReminderAt } from '@muster/rules/schedules/reminder'
import { use, useState } from 'react'
import { FormDialog, FormError } from '../../app/dialogs/FormDialog.tsx'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { call } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { ConfirmDialog } from '../../ui/dialog/ConfirmDialog.tsx'
import { AgentDialog } from '../agents/AgentItemDialog.tsx'
import { formatInZone, useDateFormat } from '../../ui/layout/date-format.ts'
import { DateFormat } from '../../ui/layout/date-format-context.ts'
import { checkDelay, NEW_WARNING, toWarning, type WarningForm } from './warning-form.ts'
import { WarningFields } from './WarningFields.tsx'
import { fromLocalText, toLocalText } from '../alerts/snooze-choices.ts'
import { DateTimeField } from '../../ui/inputs/DateTimeField.tsx'
import { serverNow } from '../../ui/layout/server-clock.ts'

const WAYS = {
  reboot: {
    endpoint: rebootAgent,
    title: 'Reboot now',
    question: 'Reboot',
    message: undefined,
    planned: 'restarts',
    done: 'is restarting.',
  },
  shutdown: {
    endpoint: shutdownAgent,
    title: 'Shut down',
    question: 'Shut down',
    message: 'Stays off until switched on or woken.',
    planned: 'shuts down',
    done: 'is shutting down.',
  },
  signOut: {
    endpoint: signOutUser,
    title: 'Sign out user',
    question: 'Sign out the user of',
    message: undefined,
    planned: 'signs its user out',
    done: 'signs its user out.',
  },
} as const

/** Restarts the machine in the address. */
export function RebootDialog({ item, close }: AddressedDialogProps) {
  return <PowerDialog way="reboot" item={item} close={close} />
}

/** Shuts down the machine in the address, once its name is typed. */
export function ShutDownDialog({ item, close }: AddressedDialogProps) {
  return <PowerDialog way="shutdown" item={item} close={close} />
}

/** Ends the session of the user at the machine in the address. */
export function SignOutDialog({ item, close }: AddressedDialogProps) {
  return <PowerDialog way="signOut" item={item} close={close} />
}

function PowerDialog({ way, item, close }: AddressedDialogProps & { way: keyof typeof WAYS }) {
  const { title } = WAYS[way]
  return (
    <GuardedDialog title={title} needs="can_reboot_agents" onClose={close}>
      <AgentDialog title={title} agentId={item} onClose={close}>
        {(agent) => <ConfirmPower way={way} agent={agent} close={close} />}
      </AgentDialog>
    </GuardedDialog>
  )
}

interface ConfirmPowerProps {
  way: keyof typeof WAYS
  agent: AgentDetail
  close: () => void
}

function ConfirmPower({ way, agent, close }: ConfirmPowerProps) {
  const { agent_id, hostname } = agent
  const { endpoint, title, question, message, planned: plannedText, done } = WAYS[way]
  const [form, setForm] = useState(NEW_WARNING)
  const [isNow, setIsNow] = useState(false)
  const format = useDateFormat()
  const delayError = checkDelay(form.delay)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call(endpoint, { params: { agent_id }, body: isNow ? { now: true } : toWarning(form) }),
    meta: { errorsShown: true },
    onSuccess: ({ answered, planned }) => {
      if (planned !== null && answered) notifyDone(`${hostname} ${plannedText} at ${format(planned.due)}.`)
      else notifyDone(answered ? `${hostname} ${done}` : `No response from ${hostname}. Probably it ${done}`)
      close()
    },
  })
  return (
    <ConfirmDialog
      title={`${question} ${hostname}?`}
      message={
        <div className="stack">
          {error !== null && <FormError error={error} />}
          {message !== undefined && <Text>{message}</Text>}
          <WarningFields
            agent={agent}
            form={form}
            error={delayError}
            disabled={isNow}
            onChange={(change) => setForm((old) => ({ ...old, ...change }))}
          />
          <Checkbox
            label="At once, without a warning"
            description="Unsaved work is lost."
            checked={isNow}
            onChange={(event) => setIsNow(event.currentTarget.checked)}
          />
        </div>
      }
      confirmLabel={way === 'signOut' ? title : question}
      danger
      {...(way === 'shutdown' ? { typed: hostname } : {})}
      busy={isPending}
      blocked={!isNow && delayError !== undefined}
      onConfirm={() => mutate()}
      onClose={close}
    />
  )
}

const TITLE = 'Reboot later'

/** Plans the restart of the machine in the address. */
export function RebootLaterDialog({ item, close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_reboot_agents" onClose={close}>
      <AgentDialog title={TITLE} agentId={item} onClose={close}>
        {(agent) => <PlanReboot agent={agent} close={close} />}
      </AgentDialog>
    </GuardedDialog>
  )
}

function PlanReboot({ agent, close }: { agent: AgentDetail; close: () => void }) {
  const { agent_id, hostname, timezone } = agent
  const format = useDateFormat()
  const dateFormat = use(DateFormat)
  // Time of opening.
  const [usual] = useState(() => toLocalText(nextReminderAt(serverNow())))
  const form = useForm({
    initialValues: { datetime: usual, ...NEW_WARNING },
    validate: {
      datetime: (text) => checkTime(fromLocalText(text), serverNow()),
      delay: (delay) => checkDelay(delay) ?? null,
    },
    validateInputOnChange: true,
  })
  const save = async ({ datetime, ...warning }: { datetime: string } & WarningForm) => {
    const atMs = fromLocalText(datetime)
    if (atMs === undefined) return
    const body = { datetime: new Date(atMs).toISOString(), ...toWarning(warning) }
    const { time } = await call(planReboot, { params: { agent_id }, body })
    notifyDone(`${hostname} restarts at ${format(time)}.`)
  }
  const atMs = fromLocalText(form.values.datetime)
  const ownTime = atMs === undefined ? undefined : formatInZone(atMs, dateFormat, timezone)
  return (
    <FormDialog
      title={`Reboot ${hostname} later`}
      size="sm"
      form={form}
      save={save}
      submitLabel="Plan reboot"
      mayStayUnchanged
      onClose={close}
    >
      <div className="stack">
        <DateTimeField
          label="Date and time"
          description={ownTime === undefined ? undefined : `On the machine: ${ownTime} (${timezone}).`}
          data-autofocus
          {...form.getInputProps('datetime')}
        />
        <WarningFields
          agent={agent}
          form={form.values}
          error={checkDelay(form.values.delay)}
          onChange={(change) => form.setValues(change)}
        />
        <Text>You can cancel it until then. Replaces an earlier plan.</Text>
      </div>
    </FormDialog>
  )
}

function checkTime(atMs: number | undefined, nowMs: number): string | null {
  if (atMs === undefined) return 'Enter a date and a time.'
  return atMs <= nowMs ? 'Choose a time in the future.' : null
}
