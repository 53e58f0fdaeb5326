import { ActionIcon, Button } from '@mantine/core'
import { getAgent } from '@muster/contract/api/agents'
import type { Alert, AlertLogKind, getAlert } from '@muster/contract/api/alerts'
import { type Check, getCheck } from '@muster/contract/api/checks'
import { ApiError } from '@muster/contract/client'
import type { Output } from '@muster/contract/endpoint'
import {
  IconArrowRight,
  IconBellPause,
  IconCheck,
  IconChevronDown,
  IconChevronUp,
  IconFileCode,
  IconTerminal2,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { query } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { listMenuItems } from '../../ui/dialog/menu-entry.ts'
import { EmptyState } from '../../ui/layout/States.tsx'
import { Time } from '../../ui/layout/Time.tsx'
import { useNow } from '../../ui/layout/use-now.ts'
import { describeThreshold } from '../agents/summary/failing-checks.ts'
import { useAgentMenu } from '../agents/use-agent-menu.ts'
import { lasting } from './alert-columns.tsx'
import { HOLD_LABELS, LOG_LABELS } from './alert-labels.ts'
import { AlertNotifications } from './AlertNotifications.tsx'
import { AlertActions as TemplateActions, AlertLog, NoteBox } from './AlertDialog.tsx'
import classes from './AlertPanel.module.css'
import { alertQuery } from './alerts-query.ts'
import { NextNotice } from './CauseMarks.tsx'
import { SeverityMark } from './SeverityMark.tsx'
import { StateMark } from './StateMark.tsx'
import { SuggestedStep } from './SuggestedStep.tsx'
import { type AlertActions, fits, useChangeAlerts } from './use-alert-actions.tsx'

const AlertCurve = lazyPart(() => import('./AlertCurve.tsx').then((file) => file.AlertCurve))
const TICK_MS = 10_000
const ICON = { size: 16, stroke: 1.75, 'aria-hidden': true } as const

export interface PanelProps {
  id: number
  /** In the list: smaller, without keys. */
  isCompact: boolean
  ask: AlertActions['ask']
  /** Checked alerts, to which keys apply instead. */
  checked: readonly Alert[]
  onDone: () => void
  /** The place among the alerts of the group. */
  step: { index: number; of: number; to: (index: number) => void } | undefined
}

/** An alert with its value, its curve, its notifications and the actions that end it; stays when it has resolved. */
export function AlertPanel(props: PanelProps) {
  const { data: alert, error, refetch } = useQuery(alertQuery(props.id))
  if (error instanceof ApiError && error.status === 404)
    return <EmptyState message="Alert not found. You may not have access to it." />
  if (alert === undefined)
    return <LoadingState error={error} onRetry={() => void refetch()} rows={props.isCompact ? 3 : 6} />
  return <Loaded {...props} alert={alert} />
}

type Detail = Output<typeof getAlert>

function Loaded({ alert, isCompact, step, ...props }: PanelProps & { alert: Detail }) {
  const { agent_id, check_id, message, hostname } = alert
  const mayChecks = useMay('can_list_checks')
  const mayManage = useMay('can_manage_alerts')
  const [note, setNote] = useState('')
  const { data: check } = useQuery({
    ...query(getCheck, { params: { id: check_id ?? 0 } }),
    enabled: check_id !== null && mayChecks,
    meta: { quiet: true },
  })
  return (
    <article className={classes.alert} data-compact={isCompact || undefined}>
      <header className={classes.head}>
        <h2 className={classes.title}>
          <SeverityMark severity={alert.severity} shapeOnly />
          {hostname !== '' && <bdi className={classes.hostname}>{hostname}</bdi>}
          <bdi className={classes.message} dir="auto">
            {message}
          </bdi>
        </h2>
        {step !== undefined && step.of > 1 && !isCompact && <Steps {...step} />}
      </header>
      <Facts alert={alert} check={check} />
      <Actions alert={alert} isCompact={isCompact} {...props} />
      {check !== undefined && agent_id !== null && (
        <Suspense fallback={<div className={classes.curve} />}>
          <AlertCurve alert={alert} check={check} isCompact={isCompact} />
        </Suspense>
      )}
      {check_id !== null && alert.state !== 'resolved' && <SuggestedStep alert={alert} />}
      <div className={classes.columns}>
        {alert.escalation === null ? (
          <Notifications alert={alert} />
        ) : (
          <AlertNotifications id={alert.id} escalation={alert.escalation} />
        )}
        <div>
          <TemplateActions actions={alert.actions} />
          {mayManage && !isCompact && <NoteBox alert={alert} note={note} onChange={setNote} />}
          <AlertLog log={alert.log.filter(({ kind }) => !NOTICES.includes(kind))} />
        </div>
      </div>
    </article>
  )
}

function Steps({ index, of, to }: NonNullable<PanelProps['step']>) {
  return (
    <span className={classes.steps}>
      {index + 1} of {of}
      <ActionIcon
        variant="subtle"
        aria-label="Previous alert"
        disabled={index === 0}
        onClick={() => to(index - 1)}
      >
        <IconChevronUp {...ICON} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        aria-label="Next alert"
        disabled={index === of - 1}
        onClick={() => to(index + 1)}
      >
        <IconChevronDown {...ICON} />
      </ActionIcon>
    </span>
  )
}

/** The location, the threshold in words, how long it is open, and the policy of the check. */
function Facts({ alert, check }: { alert: Alert; check: Check | undefined }) {
  const nowMs = useNow(TICK_MS)
  const { client, client_id, site, site_id, state, hold } = alert
  const value = check?.check_result.more_info ?? ''
  return (
    <div className={classes.facts}>
      {client !== '' && client_id !== null && (
        <span>
          <Link to="/" search={{ tab: 'mixed', node: `Client|${client_id}` }} className={classes.quiet}>
            <bdi>{client}</bdi>
          </Link>
          {site !== '' && site_id !== null && (
            <>
              {' / '}
              <Link to="/" search={{ tab: 'mixed', node: `Site|${site_id}` }} className={classes.quiet}>
                <bdi>{site}</bdi>
              </Link>
            </>
          )}
        </span>
      )}
      {check !== undefined && (
        <span>
          {value !== '' && !alert.message.includes(value) && <bdi>now {value}; </bdi>}
          {describeThreshold(check)}
        </span>
      )}
      <span>
        {state === 'resolved' ? 'resolved ' : 'open since '}
        <Time instant={state === 'resolved' ? alert.resolved_on : alert.alert_time} />
        {state === 'resolved' ? ' after ' : ', '}
        {lasting(alert, nowMs)}
      </span>
      {(state !== 'open' || hold !== null) && (
        <span>
          <StateMark alert={alert} />
          {state === 'acknowledged' && alert.acknowledged_by !== '' && <bdi> by {alert.acknowledged_by}</bdi>}
          {state === 'snoozed' && (
            <>
              {' until '}
              <Time instant={alert.snooze_until} />
            </>
          )}
        </span>
      )}
      {hold !== null && state !== 'resolved' && <span>{HOLD_LABELS[hold].sentence}</span>}
      {check?.policy != null && check.policy_name !== null && (
        <span>
          policy{' '}
          <Link to="/policies/$policy_id" params={{ policy_id: `${check.policy}` }} className={classes.quiet}>
            <bdi>{check.policy_name}</bdi>
          </Link>
        </span>
      )}
    </div>
  )
}

type ActionsProps = Omit<PanelProps, 'id' | 'step'> & { alert: Alert }

function Actions({ alert, isCompact, ask, checked, onDone }: ActionsProps) {
  const { agent_id } = alert
  const mayManage = useMay('can_manage_alerts')
  const mayMachines = useMay('can_list_agents')
  const change = useChangeAlerts()
  const { data: agent } = useQuery({
    ...query(getAgent, { params: { agent_id: agent_id ?? '' } }),
    enabled: agent_id !== null && mayMachines,
    meta: { quiet: true },
  })
  const entries = listMenuItems(useAgentMenu(agent))
  const allowed = (id: string) =>
    entries.find((entry) => entry.id === id && entry.disabledReason === undefined)?.run
  const terminal = allowed('remote-background')
  const script = allowed('run-script')
  const targets = checked.length > 0 ? checked : [alert]
  const fitting = (action: Parameters<typeof fits>[0]) => targets.filter((one) => fits(action, one))
  const acknowledge = () =>
    change.mutate({ action: 'acknowledge', alerts: fitting('acknowledge') }, { onSuccess: onDone })
  const canSnooze = mayManage && fits('snooze', alert)
  useKeys({
    a: mayManage && fitting('acknowledge').length > 0 ? acknowledge : undefined,
    s: mayManage && fitting('snooze').length > 0 ? () => ask('snooze', fitting('snooze')) : undefined,
    t: terminal,
    r: script,
  })
  const buttons = useRef<HTMLDivElement>(null)
  // In a long group, the link of a notification leads to a card below the screen.
  useEffect(() => {
    if (isCompact) buttons.current?.scrollIntoView({ block: 'nearest' })
  }, [isCompact])
  const undo = (action: 'unacknowledge' | 'unsnooze') => () => change.mutate({ action, alerts: [alert] })
  return (
    <div ref={buttons} className={classes.actions}>
      {mayManage && fits('acknowledge', alert) && (
        <Button
          leftSection={<IconCheck {...ICON} />}
          aria-keyshortcuts="a"
          loading={change.isPending && change.variables.action === 'acknowledge'}
          onClick={() => change.mutate({ action: 'acknowledge', alerts: [alert] }, { onSuccess: onDone })}
        >
          Acknowledge {!isCompact && <Key>A</Key>}
        </Button>
      )}
      {mayManage && fits('unacknowledge', alert) && (
        <Button variant="default" onClick={undo('unacknowledge')}>
          Remove acknowledgement
        </Button>
      )}
      {canSnooze && (
        <Button
          variant="default"
          leftSection={<IconBellPause {...ICON} />}
          aria-keyshortcuts="s"
          onClick={() => ask('snooze', [alert])}
        >
          Snooze {!isCompact && <Key>S</Key>}
        </Button>
      )}
      {mayManage && fits('unsnooze', alert) && (
        <Button variant="default" onClick={undo('unsnooze')}>
          End snooze
        </Button>
      )}
      {terminal !== undefined && (
        <Button
          variant="default"
          leftSection={<IconTerminal2 {...ICON} />}
          aria-keyshortcuts="t"
          onClick={terminal}
        >
          Terminal {!isCompact && <Key>T</Key>}
        </Button>
      )}
      {script !== undefined && (
        <Button
          variant="default"
          leftSection={<IconFileCode {...ICON} />}
          aria-keyshortcuts="r"
          onClick={script}
        >
          Run script {!isCompact && <Key>R</Key>}
        </Button>
      )}
      {mayManage && fits('resolve', alert) && (
        <Button variant="default" onClick={() => ask('resolve', [alert])}>
          Resolve …
        </Button>
      )}
      {agent_id !== null && mayMachines && (
        <Button
          variant="default"
          className={classes.machine ?? ''}
          rightSection={<IconArrowRight {...ICON} />}
          renderRoot={(props) => <Link {...props} to="/agents/$agent_id" params={{ agent_id }} />}
        >
          Open machine
        </Button>
      )}
    </div>
  )
}

const Key = ({ children }: { children: ReactNode }) => (
  <kbd className={classes.key} aria-hidden>
    {children}
  </kbd>
)

/** Runs an action by its letter, except while typing, in a dialog or in a menu. */
function useKeys(actions: Record<string, (() => void) | undefined>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return
      const { target } = event
      const busy = 'input:not([type=checkbox]), textarea, select, [contenteditable], [role=menu]'
      if (target instanceof Element && target.closest(busy)) return
      if (document.querySelector('[role=dialog]') !== null) return
      const run = actions[event.key.toLowerCase()]
      if (run === undefined) return
      event.preventDefault()
      run()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  })
}

const NOTICES: readonly AlertLogKind[] = ['notice_sent', 'notice_held', 'notice_failed']

/** The notifications so far, and the next one. */
function Notifications({ alert: { log, next_notice } }: { alert: Detail }) {
  const nowMs = useNow(TICK_MS)
  const sent = log.filter(({ kind }) => NOTICES.includes(kind))
  return (
    <section aria-label="Notifications">
      <h3 className={classes.heading}>Notifications</h3>
      {sent.length === 0 && next_notice === null && <p className={classes.none}>No notification was sent.</p>}
      <ol className="plain-list">
        {sent.map(({ id, at, kind, text }) => (
          <li key={id} className={classes.sent}>
            <span className={classes.at}>
              <Time instant={at} />
            </span>
            <span>
              {LOG_LABELS[kind]}
              {text !== '' && (
                <>
                  {': '}
                  <bdi>{text}</bdi>
                </>
              )}
            </span>
          </li>
        ))}
      </ol>
      {next_notice !== null && <NextNotice at={next_notice} nowMs={nowMs} />}
    </section>
  )
}
