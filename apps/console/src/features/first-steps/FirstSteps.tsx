import { Button } from '@mantine/core'
import { type FirstSteps as Steps, getFirstSteps } from '@muster/contract/calls/first-steps'
import { savePreferences } from '@muster/contract/calls/users'
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { call, query } from '../../app/api/api.ts'
import { dashInfoQuery, useDashInfo } from '../../app/api/queries.ts'
import { type DialogName, useDialog } from '../../app/dialogs/use-dialog.ts'
import { notifyUndo } from '../../app/shell/notify.ts'
import classes from './FirstSteps.module.css'

interface Step {
  id: keyof Steps
  title: string
  text: string
  label: string
  dialog: DialogName
  item?: string
}

const STEPS: readonly Step[] = [
  {
    id: 'machine',
    title: 'Connect a second machine',
    text: 'Create an install command and run it on the machine.',
    label: 'Install agent',
    dialog: 'install-agent',
  },
  {
    id: 'policy',
    title: 'Assign a policy',
    text: 'A recommended one checks CPU, memory, disks and availability.',
    label: 'Choose policy',
    dialog: 'recommended-policies',
  },
  {
    id: 'channel',
    title: 'Get notified of alerts',
    text: 'Add a channel, such as e-mail or chat, and send a test message.',
    label: 'Add channel',
    dialog: 'alert-channels',
  },
  {
    id: 'user',
    title: 'Invite a colleague',
    text: 'Create a link with a role that sets what they see and do.',
    label: 'Invite user',
    dialog: 'invitations',
    item: 'new',
  },
]

/** The steps that make a new server useful, if the user may take them. Each is ticked when it is done; the user may hide them. */
export function FirstSteps() {
  const isHidden = useDashInfo()?.first_steps_hidden !== false
  const { data } = useQuery({ ...query(getFirstSteps, {}), enabled: !isHidden, meta: { quiet: true } })
  const steps = STEPS.filter(({ id }) => data !== undefined && data[id] !== null)
  const done = steps.filter(({ id }) => data?.[id] === true)
  const isOpen = done.length < steps.length
  // The last step is shown as done; later visits show nothing.
  const [wasOpen, setWasOpen] = useState(false)
  if (isOpen && !wasOpen) setWasOpen(true)
  if (isHidden || steps.length === 0 || !(isOpen || wasOpen)) return null
  return <StepList steps={steps} done={new Set(done)} />
}

function StepList({ steps, done }: { steps: readonly Step[]; done: ReadonlySet<Step> }) {
  const id = useId()
  const { open } = useDialog()
  const hide = useHide()
  const next = steps.find((step) => !done.has(step))
  return (
    <section aria-labelledby={id} className={classes.card}>
      <header className={classes.head}>
        <h2 id={id} className={classes.title}>
          First steps
        </h2>
        <span className="dim small" role="status">
          {next === undefined ? 'All done' : `${done.size} of ${steps.length} done`}
        </span>
        <Button variant="subtle" size="compact-sm" className={classes.hide ?? ''} {...hide}>
          Hide
        </Button>
      </header>
      <ol className={classes.steps}>
        {steps.map((step) => (
          <li key={step.id} className={classes.step} data-done={done.has(step) || undefined}>
            {done.has(step) ? (
              <IconCircleCheckFilled size={20} aria-hidden className={classes.done} />
            ) : (
              <IconCircle size={20} stroke={1.75} aria-hidden className={classes.open} />
            )}
            <div className={classes.text}>
              <div className="strong">
                {step.title}
                {done.has(step) && <span className="read-only-aloud">, done</span>}
              </div>
              {!done.has(step) && <div className="dim small">{step.text}</div>}
            </div>
            {!done.has(step) && (
              <Button
                variant={step === next ? 'filled' : 'default'}
                onClick={() => open(step.dialog, step.item)}
              >
                {step.label}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

function useHide() {
  const queryClient = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: (first_steps_hidden: boolean) => call(savePreferences, { body: { first_steps_hidden } }),
    onSuccess: async (_saved, isHidden) => {
      if (isHidden) notifyUndo('First steps hidden.', () => mutate(false))
      await queryClient.invalidateQueries({ queryKey: dashInfoQuery.queryKey })
    },
  })
  return { onClick: () => mutate(true), loading: isPending }
}
