import { Button } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { listAgentPendingActions } from '@muster/contract/api/pending-actions'
import { IconClockPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { query } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import { Time } from '../../ui/layout/Time.tsx'
import classes from '../maintenance/Maintenance.module.css'
import { useCancelAction } from './pending-actions/PendingActionsDialog.tsx'

/** Time and author of the machine's planned restart, if any. */
export function RebootNote({ agent }: { agent: AgentDetail }) {
  const { agent_id, timezone, pending_actions_count } = agent
  const may = useMay('can_list_pendingactions')
  const mayCancel = useMay('can_manage_pendingactions')
  const { data } = useQuery({
    ...query(listAgentPendingActions, { params: { agent_id }, query: {} }),
    enabled: may && pending_actions_count > 0,
  })
  const planned = data?.find(
    ({ action_type, status }) => action_type === 'schedreboot' && status === 'pending',
  )
  const { mutate, isPending } = useCancelAction()
  if (planned === undefined || pending_actions_count === 0) return null
  return (
    <div className={classes.note} role="note">
      <IconClockPlay size={18} stroke={1.75} aria-hidden />
      <span>
        Restarts <Time instant={planned.due} machineZone={timezone} />, planned by{' '}
        <bdi>{planned.username}</bdi>.
      </span>
      {mayCancel && (
        <Button size="compact-xs" variant="default" loading={isPending} onClick={() => mutate(planned)}>
          Cancel reboot
        </Button>
      )}
    </div>
  )
}
