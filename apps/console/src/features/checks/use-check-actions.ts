import type { AgentDetail } from '@muster/contract/api/agents'
import {
  type Check,
  getCheck,
  listAgentChecks,
  resetAllChecks,
  resetCheck,
  runChecks,
} from '@muster/contract/api/checks'
import { nameCheck } from '@muster/rules/checks/check-name'
import { IconChartLine, IconPencil, IconRestore } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import {
  explainAction,
  removeAction,
  runAction,
  unlessAllowed,
  unlessOfPolicy,
} from '../../app/shell/row-actions.ts'
import { divider, type MenuEntry } from '../../ui/dialog/menu-entry.ts'
import { isFromServer } from './check-labels.ts'

export type CheckActions = ReturnType<typeof useCheckActions>

/** All actions on the checks of a machine. */
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
          ? `Checks started on ${hostname}.`
          : `Started ${checks.map(nameCheck).join(', ')} on ${hostname}.`,
      ),
  })
  const reset = useMutation({
    mutationFn: ({ id }: Check) => call(resetCheck, { params: { id } }),
    onSuccess: async (check) => {
      queryClient.setQueryData(queryKey(getCheck, { params: { id: check.id } }), check)
      notifyDone(`${nameCheck(check)} is pending until its next run.`)
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
  const runReason = unlessAllowed(mayRun) ?? (connected ? undefined : `${hostname} is offline.`)
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
    // The server's own checks need no machine.
    runAction({
      label: 'Run check',
      disabledReason: mayRun && isFromServer(check.settings.check_type) ? undefined : runReason,
      run: () => run.mutate([check]),
    }),
    {
      id: 'reset',
      label: 'Clear status',
      icon: IconRestore,
      note: 'Pending until the next run',
      disabledReason: unlessManaged,
      run: () => reset.mutate(check),
    },
    ...removeAction({ disabledReason: unlessOwn(check), run: () => open('remove-check', check.id) }),
  ]
  return {
    mayManage,
    menuOf,
    /** The action of Enter and double click. */
    openCheck: ({ id, policy }: Check) =>
      open(mayManage && policy === null ? 'edit-check' : 'check-history', id),
    explain: mayExplain ? explain : undefined,
    runAll: () => run.mutate('all'),
    /** Why no check can run now. */
    runReason,
    isStarting: run.isPending,
    resetAll,
  }
}
