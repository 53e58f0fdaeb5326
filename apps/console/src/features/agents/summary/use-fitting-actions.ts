import { EVERY_DISK } from '@muster/rules/checks/every-disk'
import type { AgentDetail } from '@muster/contract/api/agents'
import { type Check, runChecks } from '@muster/contract/api/checks'
import { controlService } from '@muster/contract/api/services'
import { nameCheck } from '@muster/rules/checks/check-name'
import {
  type Icon,
  IconFileText,
  IconFolder,
  IconListSearch,
  IconPlayerPlay,
  IconRefresh,
} from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../../app/api/api.ts'
import { useMay } from '../../../app/api/queries.ts'
import { useDialog } from '../../../app/dialogs/use-dialog.ts'
import { notifyDone } from '../../../app/shell/notify.ts'
import { isFromServer } from '../../checks/check-labels.ts'
import { openRemoteBackground } from '../../remote/side-by-side.ts'
import { usePane } from '../use-pane.ts'

export interface FittingAction {
  id: string
  label: string
  icon: Icon
  /** Why it is not possible now. */
  reason: string | undefined
  isBusy: boolean
  run: () => void
}

/** The actions that fit a failing check: first the one that may repair it, then running the check again. */
export function useFittingActions(agent: Pick<AgentDetail, 'agent_id' | 'hostname' | 'connected'>) {
  const { agent_id, hostname, connected } = agent
  const mayRun = useMay('can_run_checks')
  const mayServices = useMay('can_manage_winsvcs')
  const mayProcesses = useMay('can_manage_procs')
  const mayFiles = useMay('can_manage_files')
  const mayLogs = useMay('can_view_eventlogs')
  const { open } = useDialog()
  const { setPane } = usePane()
  const check = useMutation({
    mutationFn: ({ id }: Check) => call(runChecks, { params: { agent_id }, body: { ids: [id] } }),
    onSuccess: (_, checked) => notifyDone(`Started ${nameCheck(checked)} on ${hostname}.`),
  })
  const restart = useMutation({
    mutationFn: async ({ name, id }: { name: string; id: number }) => {
      await call(controlService, { params: { agent_id, name }, body: { sv_action: 'restart' } })
      // The state on screen is that of the last run.
      if (mayRun) await call(runChecks, { params: { agent_id }, body: { ids: [id] } })
    },
    onSuccess: (_, { name }) => notifyDone(`Restarted service ${name} on ${hostname}.`),
  })
  const away = connected ? undefined : `${hostname} is offline.`
  const idle = { reason: undefined, isBusy: false }

  const fitting = ({ id, settings }: Check): FittingAction[] => {
    switch (settings.check_type) {
      case 'service': {
        if (!mayServices) return []
        const { svc_name: name } = settings
        const isBusy = restart.isPending && restart.variables.id === id
        return [
          {
            id: 'restart',
            label: 'Restart service',
            icon: IconRefresh,
            reason: away,
            isBusy,
            run: () => restart.mutate({ name, id }),
          },
        ]
      }
      case 'cpuload':
      case 'memory':
      case 'process':
        if (!mayProcesses) return []
        return [
          {
            id: 'processes',
            label: 'Processes',
            icon: IconListSearch,
            ...idle,
            run: () => setPane('processes'),
          },
        ]
      case 'diskspace':
      case 'file': {
        if (!mayFiles || (settings.check_type === 'diskspace' && settings.disk === EVERY_DISK)) return []
        const at = settings.check_type === 'diskspace' ? rootOf(settings.disk) : folderOf(settings.path)
        return [
          {
            id: 'files',
            label: 'Open files',
            icon: IconFolder,
            reason: away,
            isBusy: false,
            run: () => openRemoteBackground(agent_id, { tool: 'files', at }),
          },
        ]
      }
      case 'eventlog':
      case 'journal':
        if (!mayLogs) return []
        return [
          {
            id: 'logs',
            label: 'Open logs',
            icon: IconFileText,
            reason: away,
            isBusy: false,
            run: () => openRemoteBackground(agent_id, { tool: 'logs' }),
          },
        ]
      case 'script':
        return [
          {
            id: 'output',
            label: 'Output',
            icon: IconFileText,
            ...idle,
            run: () => open('check-history', id),
          },
        ]
      default:
        return []
    }
  }
  const again = (one: Check): FittingAction[] =>
    mayRun
      ? [
          {
            id: 'run',
            label: one.settings.check_type === 'script' ? 'Run again' : 'Run check',
            icon: IconPlayerPlay,
            // The server's own checks need no machine.
            reason: isFromServer(one.settings.check_type) ? undefined : away,
            isBusy: check.isPending && check.variables.id === one.id,
            run: () => check.mutate(one),
          },
        ]
      : []
  return (one: Check): FittingAction[] => [...fitting(one), ...again(one)]
}

/** `C:\\` of `C:`. */
const rootOf = (disk: string) => (/^[A-Za-z]:$/.test(disk) ? `${disk}\\` : disk)
/** `/var/log` of `/var/log/app.log`, also with backslashes. */
const folderOf = (path: string) => path.replace(/[\\/][^\\/]*$/, '') || path
