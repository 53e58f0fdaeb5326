import '@mantine/core/styles/SimpleGrid.css'
import { Button, Select, SimpleGrid } from '@mantine/core'
import { previewAlertTemplate } from '@muster/contract/api/alert-templates'
import type { AlertType } from '@muster/contract/api/alerts'
import { Severity } from '@muster/contract/fields'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Output } from '@muster/contract/endpoint'
import { formatDuration } from '@muster/rules/text/units'
import { IconCheck, IconMinus } from '@tabler/icons-react'
import { GuardedDialog, LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { query } from '../../../app/api/api.ts'
import type { AddressedDialogProps } from '../../../app/dialogs/use-dialog.ts'
import { useMay } from '../../../app/api/queries.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../../ui/layout/States.tsx'
import { HOLD_LABELS, SEVERITIES, SEVERITY_LABELS } from '../alert-labels.ts'
import { Time } from '../../../ui/layout/Time.tsx'
import { afterLabel } from '../escalations/chain-form.ts'
import { machineNamesQuery, namesOf } from './template-form.ts'
import classes from './Templates.module.css'
import { OUTCOME_LABELS, SOURCE_LABELS } from './template-labels.ts'

const TITLE = 'Preview alerts'
const TYPES = [
  { value: 'check', label: 'A check fails' },
  { value: 'task', label: 'A task fails' },
  { value: 'availability', label: 'The machine is overdue' },
  { value: 'custom', label: 'A custom alert' },
]

/** Recipients of an alert of the machine in `item`, or of one chosen here. */
export function PreviewDialog({ item, close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_alerttemplates" size="lg" onClose={close}>
      <Preview start={item} close={close} />
    </GuardedDialog>
  )
}

function Preview({ start, close }: { start: string | undefined; close: () => void }) {
  const mayListAgents = useMay('can_list_agents')
  const { data: machines = [] } = useQuery({ ...machineNamesQuery, enabled: mayListAgents })
  const [agent, setAgent] = useState(start ?? null)
  const [type, setType] = useState<AlertType>('check')
  const [chosen, setSeverity] = useState<Severity>('error')
  const severity = type === 'availability' ? 'error' : chosen
  const { data, error, refetch } = useQuery({
    ...query(previewAlertTemplate, { query: { agent: agent ?? '', alert_type: type, severity } }),
    enabled: agent !== null,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
  const names = namesOf(machines)
  const isListed = names.some(({ value }) => value === agent)
  return (
    <Dialog
      title={TITLE}
      size="lg"
      onClose={close}
      footer={
        <Button variant="default" onClick={close}>
          Close
        </Button>
      }
    >
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md" mb="md">
        <Select
          label="Machine"
          placeholder="Choose a machine"
          data={
            isListed || agent === null ? names : [...names, { value: agent, label: data?.hostname ?? agent }]
          }
          value={agent}
          onChange={setAgent}
          searchable
          allowDeselect={false}
          nothingFoundMessage="No matching machine"
          limit={200}
          data-autofocus
        />
        <Select
          label="Event"
          data={TYPES}
          value={type}
          onChange={(value) => setType(TYPE_OF.get(value ?? '') ?? 'check')}
          allowDeselect={false}
        />
        <Select
          label="Severity"
          data={SEVERITIES.map((value) => ({ value, label: SEVERITY_LABELS[value] }))}
          value={severity}
          disabled={type === 'availability'}
          onChange={(value) => setSeverity(Severity.catch('error').parse(value))}
          allowDeselect={false}
        />
      </SimpleGrid>
      {agent === null ? (
        <EmptyState message="Choose a machine to preview the recipients of its alerts." />
      ) : error !== null || data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={4} />
      ) : (
        <PreviewAnswer answer={data} />
      )}
    </Dialog>
  )
}

const TYPE_OF = new Map<string, AlertType>([
  ['check', 'check'],
  ['task', 'task'],
  ['availability', 'availability'],
  ['custom', 'custom'],
])

type Answer = Output<typeof previewAlertTemplate>

/** The applied template and its reason, the recipients, the escalation, and the actions. */
function PreviewAnswer({ answer }: { answer: Answer }) {
  const { hold, opens, template, failure_action, resolved_action } = answer
  return (
    <div aria-live="polite">
      {!opens && (
        <p className={classes.answer}>
          No alert opens: neither the machine nor its template has overdue alerts on.
        </p>
      )}
      {hold !== null && <p className={classes.answer}>{HOLD_LABELS[hold].sentence}</p>}
      <Part title="Template">
        {template === null && (
          <p className={classes.answer}>No template applies. The rules of the channels decide.</p>
        )}
        <Chain chain={answer.chain} />
      </Part>
      <Part title="Recipients">
        <ul className={classes.plain}>
          <li>
            <Mark notified={answer.bell} text={answer.bell ? 'shows the alert' : 'does not show the alert'} />
            <div className="dim small">Always shown in the list of alerts.</div>
          </li>
          {answer.channels.map((channel) => (
            <Channel key={channel.id} channel={channel} />
          ))}
        </ul>
        {answer.channels.length === 0 && <p className="note">No channels</p>}
      </Part>
      {answer.escalation !== null && <Escalation escalation={answer.escalation} />}
      <Part title="Actions">
        <ul className={classes.plain}>
          <li>On open: {failure_action ?? 'none'}</li>
          <li>On resolve: {resolved_action ?? 'none'}</li>
        </ul>
      </Part>
    </div>
  )
}

/** The steps of the chain, in order of time. */
function Escalation({ escalation }: { escalation: NonNullable<Answer['escalation']> }) {
  const { chain, steps, repeat_minutes, repeat_times } = escalation
  return (
    <Part title="Escalation">
      <p className={classes.answer}>
        <bdi className="strong">{chain}</bdi> starts with the first notification and stops when a user
        acknowledges the alert.
      </p>
      <ol className={classes.plain} aria-label="Escalation steps">
        {steps.map(({ after_minutes, recipients }) => (
          <li key={after_minutes}>
            {afterLabel(after_minutes)}:{' '}
            <bdi>{recipients.length === 0 ? 'no recipients' : recipients.join(', ')}</bdi>
          </li>
        ))}
        {repeat_minutes > 0 && repeat_times > 0 && (
          <li className="dim">
            Last step repeated every {formatDuration(repeat_minutes * 60)},{' '}
            {repeat_times === 1 ? 'once' : `${repeat_times} times`}
          </li>
        )}
      </ol>
    </Part>
  )
}

function Chain({ chain }: Pick<Answer, 'chain'>) {
  if (chain.length === 0) return null
  return (
    <ol className={classes.plain} aria-label="Assigned templates, closest first">
      {chain.map(({ source, at, policy, name, outcome }) => (
        <li key={`${source} ${policy}`} className={outcome === 'applies' ? undefined : 'dim'}>
          <div className={classes.line}>
            <bdi className={outcome === 'applies' ? 'strong' : undefined}>{name}</bdi>
            <span>{OUTCOME_LABELS[outcome]}</span>
            <span className="dim small">
              {SOURCE_LABELS[source]}
              {at !== '' && (
                <>
                  : <bdi>{at}</bdi>
                </>
              )}
            </span>
          </div>
        </li>
      ))}
    </ol>
  )
}

function Channel({ channel }: { channel: Answer['channels'][number] }) {
  const { name, told: notified, reason, at, recipients, on_resolved, repeat_minutes } = channel
  return (
    <li>
      <Mark notified={notified} name={name} text={notified ? 'notified' : 'not notified'} />
      <div className="dim small">
        {reason}
        {notified && (
          <>
            {at !== null && (
              <>
                {' '}
                Sent after the quiet hours, <Time instant={at} />.
              </>
            )}
            {recipients.length > 0 && (
              <>
                {' '}
                To <bdi>{recipients.join(', ')}</bdi>.
              </>
            )}
            {on_resolved ? ' Also when resolved.' : ' Not when resolved.'}
            {repeat_minutes > 0 && ` Reminder every ${formatDuration(repeat_minutes * 60)}.`}
          </>
        )}
      </div>
    </li>
  )
}

function Mark({ notified, name = 'Bell', text }: { notified: boolean; name?: string; text: string }) {
  const MarkIcon = notified ? IconCheck : IconMinus
  return (
    <div className={classes.mark}>
      <MarkIcon size={16} stroke={1.75} aria-hidden className={notified ? classes.notified : 'dim-icon'} />
      <bdi className="strong">{name}</bdi>
      <span>{text}</span>
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className={classes.heading}>{title}</h3>
      {children}
    </section>
  )
}
