import { Button } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { listAgentPendingActions, type PendingAction } from '@muster/contract/api/pending-actions'
import { IconClockPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { Time } from '../../ui/layout/Time.tsx'
import classes from '../maintenance/Maintenance.module.css'
import { useCancelAction } from './pending-actions/PendingActionsDialog.tsx'

const TEXTS: Partial<
  Record<
    PendingAction['action_type'],
    { planned: string; dialog: 'reboot' | 'shut-down' | 'sign-out'; now: string }
  >
> = {
  schedreboot: { planned: 'Restarts', dialog: 'reboot', now: 'Reboot now' },
  schedshutdown: { planned: 'Shuts down', dialog: 'shut-down', now: 'Shut down now' },
  schedsignout: { planned: 'Signs out the user', dialog: 'sign-out', now: 'Sign out now' },
}

/** Time and author of the machine's planned restart, shutdown or sign-out, if any. */
export function RebootNote({ agent }: { agent: AgentDetail }) {
  const { agent_id, pending_actions_count } = agent
  const may = useMay('can_list_pendingactions')
  const { data } = useQuery({
    ...query(listAgentPendingActions, { params: { agent_id }, query: {} }),
    enabled: may && pending_actions_count > 0,
  })
  if (pending_actions_count === 0) return null
  return data
    ?.filter(({ action_type, status }) => status !== 'completed' && TEXTS[action_type] !== undefined)
    .map((action) => <PlannedAction key={action.id} agent={agent} action={action} />)
}

function PlannedAction({ agent, action }: { agent: AgentDetail; action: PendingAction }) {
  const mayCancel = useMay('can_manage_pendingactions')
  const mayReboot = useMay('can_reboot_agents')
  const { open } = useDialog()
  const { mutate, isPending } = useCancelAction()
  const { due, username, description, details, action_type, status } = action
  const texts = TEXTS[action_type]
  if (texts === undefined) return null
  return (
    <div className={classes.note} role="note">
      <IconClockPlay size={18} stroke={1.75} aria-hidden />
      <span>
        {texts.planned} <Time instant={due} machineZone={agent.timezone} />, planned by <bdi>{username}</bdi>.
        {details.output !== '' && ` ${details.output}`}
      </span>
      {mayReboot && agent.connected && (
        <Button size="compact-xs" variant="default" onClick={() => open(texts.dialog, agent.agent_id)}>
          {texts.now}
        </Button>
      )}
      {mayCancel && status === 'pending' && (
        <Button size="compact-xs" variant="default" loading={isPending} onClick={() => mutate(action)}>
          Cancel {description.toLowerCase()}
        </Button>
      )}
    </div>
  )
}
