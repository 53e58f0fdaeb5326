import type { AgentDetail } from '@muster/contract/api/agents'
import {
  type Check,
  getCheck,
  listAgentChecks,
  resetAllChecks,
  resetCheck,
  runChecks,
} from '@muster/contract/api/checks'
import { IconChartLine, IconPencil, IconRestore } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { call } from '../../app/api/api.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { useMay } from '../../app/api/queries.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import {
  explainAction,
  removeAction,
  runAction,
  unlessAllowed,
  unlessOfPolicy,
} from '../../app/shell/row-actions.ts'
import { checkName, isFromServer } from './check-words.ts'
import { type MenuEntry, divider } from '../../ui/dialog/menu-entry.ts'

export type CheckActions = ReturnType<typeof useCheckActions>

/** All that can be done with the checks of a machine. */
export function useCheckActions(agent: Pick<AgentDetail, 'agent_id' | 'hostname' | 'connected'>) {
  const { agent_id, hostname, connected } = agent
  const mayManage = useMay('can_manage_checks')
  const mayRun = useMay('can_run_checks')
  const mayExplain = useMay('can_list_automation_policies')
  const { open } = useDialog()
  const explain = useCallback(({ id }: Check) => open('why-check', `${agent_id}.${id}`), [open, agent_id])
  const queryClient = useQueryClient()
  const refresh = () => queryClient.invalidateQueries({ queryKey: queryKey(listAgentChecks) })
  const run = useMutation({
    mutationFn: (checks: readonly Check[] | 'all') =>
      call(runChecks, {
        params: { agent_id },
        body: checks === 'all' ? {} : { ids: checks.map(({ id }) => id) },
      }),
    onSuccess: (_, checks) =>
      notifyDone(
        checks === 'all'
          ? `${hostname} runs its checks now.`
          : `${hostname} runs ${checks.map(checkName).join(', ')} now.`,
      ),
  })
  const reset = useMutation({
    mutationFn: ({ id }: Check) => call(resetCheck, { params: { id } }),
    onSuccess: async (check) => {
      queryClient.setQueryData(queryKey(getCheck, { params: { id: check.id } }), check)
      notifyDone(`${checkName(check)} is pending until it runs again.`)
      await refresh()
    },
  })
  const resetAll = useMutation({
    mutationFn: () => call(resetAllChecks, { params: { agent_id } }),
    onSuccess: async ({ changed }) => {
      notifyDone(`${changed} ${changed === 1 ? 'check is' : 'checks are'} pending until the next run.`)
      await refresh()
    },
  })
  const unlessManaged = unlessAllowed(mayManage)
  const unlessOwn = (check: Check) => unlessManaged ?? unlessOfPolicy(check)
  const runReason = unlessAllowed(mayRun) ?? (connected ? undefined : `${hostname} is not connected.`)
  const menuOf = (check: Check): MenuEntry[] => [
    {
      id: 'edit',
      label: 'Edit',
      icon: IconPencil,
      ...(mayManage && check.policy === null ? { shortcut: 'Enter' } : {}),
      disabledReason: unlessOwn(check),
      run: () => open('edit-check', check.id),
    },
    {
      id: 'history',
      label: 'Show history',
      icon: IconChartLine,
      ...(mayManage && check.policy === null ? {} : { shortcut: 'Enter' }),
      run: () => open('check-history', check.id),
    },
    explainAction({ disabledReason: unlessAllowed(mayExplain), run: () => explain(check) }),
    divider('state'),
    // The server needs no machine for its own.
    runAction({
      disabledReason: mayRun && isFromServer(check.settings.check_type) ? undefined : runReason,
      run: () => run.mutate([check]),
    }),
    {
      id: 'reset',
      label: 'Reset',
      icon: IconRestore,
      note: 'Pending until it runs again.',
      disabledReason: unlessManaged,
      run: () => reset.mutate(check),
    },
    ...removeAction({ disabledReason: unlessOwn(check), run: () => open('remove-check', check.id) }),
  ]
  return {
    mayManage,
    menuOf,
    /** What Enter and a double click do. */
    openCheck: ({ id, policy }: Check) =>
      open(mayManage && policy === null ? 'edit-check' : 'check-history', id),
    explain: mayExplain ? explain : undefined,
    runAll: () => run.mutate('all'),
    /** Why nothing can be run now. */
    runReason,
    isStarting: run.isPending,
    resetAll,
  }
}
