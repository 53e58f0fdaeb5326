import type { AgentDetail } from '@muster/contract/api/agents'
import { editTask, listAgentTasks, runTask, type Task } from '@muster/contract/api/tasks'
import {
  IconHelpCircle,
  IconListDetails,
  IconPencil,
  IconPlayerPlay,
  IconPower,
  IconTrash,
} from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { call } from '../../app/api/api.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { useMay } from '../../app/api/queries.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { type MenuEntry, divider } from '../../ui/dialog/menu-entry.ts'

const NOT_ALLOWED = 'Your role does not allow it.'

export type TaskActions = ReturnType<typeof useTaskActions>

/** All that can be done with the tasks of a machine. */
export function useTaskActions(agent: Pick<AgentDetail, 'agent_id' | 'hostname' | 'connected'>) {
  const { agent_id, hostname, connected } = agent
  const mayManage = useMay('can_manage_autotasks')
  const mayRun = useMay('can_run_autotasks')
  const mayExplain = useMay('can_list_automation_policies')
  const { open } = useDialog()
  const explain = useCallback(({ id }: Task) => open('why-task', `${agent_id}.${id}`), [open, agent_id])
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const run = useMutation({
    mutationFn: ({ id }: Task) => call(runTask, { params: { id } }),
    onSuccess: (_, { name }) => notifyDone(`${hostname} runs ${name} now.`),
  })
  const turn = useMutation({
    mutationFn: ({ id, enabled }: Task) => call(editTask, { params: { id }, body: { enabled: !enabled } }),
    onSuccess: async ({ name, enabled }) => {
      notifyDone(`${name} is switched ${enabled ? 'on' : 'off'}.`)
      await queryClient.invalidateQueries({ queryKey: queryKey(listAgentTasks) })
    },
  })
  const unlessManaged = mayManage ? undefined : NOT_ALLOWED
  const unlessOwn = ({ policy, policy_name }: Task) =>
    unlessManaged ??
    (policy === null ? undefined : `It comes from the policy ${policy_name ?? ''}: change it there.`)
  const reasonNotToRun = ({ enabled, actions, overridden_by_policy }: Task): string | undefined => {
    if (!mayRun) return NOT_ALLOWED
    if (overridden_by_policy) return 'It rests for the task of a policy.'
    if (!enabled) return 'It is switched off.'
    if (actions.some((action) => action.type === 'script' && action.name === ''))
      return 'One of its scripts was deleted.'
    return connected ? undefined : `${hostname} is not connected.`
  }
  const menuOf = (task: Task): MenuEntry[] => [
    {
      id: 'runs',
      label: 'Show runs',
      icon: IconListDetails,
      ...(mayManage && task.policy === null ? {} : { shortcut: 'Enter' }),
      run: () => open('task-runs', task.id),
    },
    task.policy === null
      ? {
          id: 'edit',
          label: 'Edit',
          icon: IconPencil,
          ...(mayManage ? { shortcut: 'Enter' } : {}),
          disabledReason: unlessManaged,
          run: () => open('edit-task', task.id),
        }
      : {
          id: 'edit',
          label: `Edit in the policy ${task.policy_name ?? ''}`,
          icon: IconPencil,
          disabledReason: mayExplain ? undefined : NOT_ALLOWED,
          run: () => void navigate({ to: '/policies/$policy_id', params: { policy_id: `${task.policy}` } }),
        },
    {
      id: 'why',
      label: 'Why is this here?',
      icon: IconHelpCircle,
      disabledReason: mayExplain ? undefined : NOT_ALLOWED,
      run: () => explain(task),
    },
    divider('state'),
    {
      id: 'run',
      label: 'Run now',
      icon: IconPlayerPlay,
      disabledReason: reasonNotToRun(task),
      run: () => run.mutate(task),
    },
    {
      id: 'turn',
      label: task.enabled ? 'Switch off' : 'Switch on',
      icon: IconPower,
      disabledReason: unlessOwn(task),
      run: () => turn.mutate(task),
    },
    divider('end'),
    {
      id: 'delete',
      label: 'Delete',
      icon: IconTrash,
      danger: true,
      disabledReason: unlessOwn(task),
      run: () => open('remove-task', task.id),
    },
  ]
  return {
    mayManage,
    menuOf,
    add: () => open('add-task', agent_id),
    /** What Enter and a double click do. */
    openTask: ({ id, policy }: Task) => open(mayManage && policy === null ? 'edit-task' : 'task-runs', id),
    explain: mayExplain ? explain : undefined,
  }
}
