import { Button } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import {
  approveDefinitions,
  listWaitingDefinitions,
  type WaitingDefinition,
} from '@muster/contract/api/tasks'
import { IconLock } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, query } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import { useMe, useServerMachineReason } from '../../../app/api/queries.ts'
import { notifyDone } from '../../../app/shell/notify.ts'
import classes from '../../maintenance/Maintenance.module.css'

/** On the machine of the server: why users may only look, and which tasks and checks wait for a superuser. */
export function ServerMachineNote({ agent }: { agent: AgentDetail }) {
  const { agent_id } = agent
  const reason = useServerMachineReason(agent)
  const { data: waiting = [] } = useQuery({
    ...query(listWaitingDefinitions, { params: { agent_id } }),
    enabled: agent.server_machine,
  })
  return (
    <>
      {reason !== undefined && (
        <div className={classes.note} role="note">
          <IconLock size={18} stroke={1.75} aria-hidden />
          <span>{reason}</span>
        </div>
      )}
      {waiting.length > 0 && <Waiting agent={agent} waiting={waiting} />}
    </>
  )
}

function Waiting({ agent, waiting }: { agent: AgentDetail; waiting: readonly WaitingDefinition[] }) {
  const { agent_id, hostname } = agent
  const me = useMe()
  const queryClient = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      call(approveDefinitions, {
        params: { agent_id },
        body: { definitions: waiting.map(({ kind, id, revision }) => ({ kind, id, revision })) },
      }),
    onSuccess: () => notifyDone(`Approved for ${hostname}.`),
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: queryKey(listWaitingDefinitions, { params: { agent_id } }) }),
  })
  return (
    <div className={classes.note} role="note">
      <IconLock size={18} stroke={1.75} aria-hidden />
      <span>
        Not running here until a superuser approves:{' '}
        {waiting.map((one, index) => (
          <span key={`${one.kind} ${one.id}`}>
            {index > 0 && ', '}
            {one.kind} <bdi>{one.name}</bdi>
            {one.policy_name !== null && (
              <>
                {' '}
                (policy <bdi>{one.policy_name}</bdi>)
              </>
            )}
          </span>
        ))}
        .
      </span>
      {me?.is_superuser === true && (
        <Button size="compact-xs" variant="default" loading={isPending} onClick={() => mutate()}>
          Approve
        </Button>
      )}
    </div>
  )
}
