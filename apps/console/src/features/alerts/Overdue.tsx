import { Button } from '@mantine/core'
import { type AgentDetail, editAgent, getAgent } from '@muster/contract/api/agents'
import type { Counts } from '@muster/contract/live-messages'
import { isUnalerted } from '@muster/rules/alerts/alert-template'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { useLive } from '../../app/live/live.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import classes from './Overdue.module.css'

interface Overdue {
  /** Not in maintenance. */
  overdue: number
  /** Overdue machines without alerting. */
  unalerted: number
}

/** Overdue machines that this user may see; none before the live connection has sent the counts. */
export function useOverdue(): Overdue {
  const counts = useLive((state) => state.counts)
  return { overdue: counts?.overdue_count ?? 0, unalerted: countUnalerted(counts) }
}

export function countUnalerted(counts: Counts | undefined): number {
  return counts === undefined ? 0 : counts.unalerted_server_count + counts.unalerted_workstation_count
}

/** Text of the empty alert list: no open alerts alone does not mean that all is well. */
export function describeCalm({ overdue, unalerted }: Overdue): string {
  if (unalerted > 0) return `No open alerts. ${describeUnalerted(unalerted)}`
  if (overdue > 0)
    return `No open alerts. ${overdue} ${overdue === 1 ? 'machine is' : 'machines are'} overdue.`
  return 'No open alerts.'
}

function describeUnalerted(unalerted: number): string {
  return `${unalerted} overdue ${unalerted === 1 ? 'machine has' : 'machines have'} no alerting.`
}

/** Actions for overdue machines: turn their alerts on, or show them. */
export function OverdueActions({ compact = false, onLeave }: { compact?: boolean; onLeave?: () => void }) {
  const { overdue, unalerted } = useOverdue()
  const mayEdit = useMay('can_edit_agent')
  const { open } = useDialog()
  if (overdue === 0) return null
  return (
    <span className={classes.actions}>
      {unalerted > 0 && mayEdit && (
        <Button
          {...(compact ? { size: 'compact-xs' } : {})}
          onClick={() => {
            onLeave?.()
            open('availability')
          }}
        >
          Turn on
        </Button>
      )}
      <Link
        to="/"
        search={{ tab: 'mixed', search: 'is:overdue' }}
        className={classes.link}
        {...(onLeave === undefined ? {} : { onClick: onLeave })}
      >
        Show machines
      </Link>
    </span>
  )
}

/** Beside open alerts: overdue machines without alerting. */
export function OverdueStrip() {
  const { unalerted } = useOverdue()
  if (unalerted === 0) return null
  return (
    <div className={classes.strip} role="status">
      <IconAlertTriangle size={16} stroke={1.75} aria-hidden className={classes.warning} />
      <span>{describeUnalerted(unalerted)}</span>
      <OverdueActions compact />
    </div>
  )
}

/** The same text for one machine. */
export function describeCalmOf(agent: AgentDetail): string {
  if (isSilent(agent)) return `No open alerts. ${agent.hostname} is overdue and has no alerting.`
  return `${agent.hostname} has no open alerts.`
}

const isSilent = (agent: AgentDetail) =>
  isUnalerted({ ...agent, alert_template: agent.effective_alert_template })

export function TurnOnOne({ agent }: { agent: AgentDetail }) {
  const queryClient = useQueryClient()
  const mayEdit = useMay('can_edit_agent')
  const params = { agent_id: agent.agent_id }
  const { mutate, isPending } = useMutation({
    mutationFn: () => call(editAgent, { params, body: { availability_alerts: 'on' } }),
    onSuccess: (saved) => {
      queryClient.setQueryData(queryKey(getAgent, { params }), saved)
      notifyDone(`Availability alerts for ${agent.hostname} are on.`)
    },
  })
  if (!mayEdit || !isSilent(agent)) return null
  return (
    <Button loading={isPending} onClick={() => mutate()}>
      Turn on
    </Button>
  )
}
