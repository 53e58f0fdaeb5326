import { type AgentRow, editAgent, getAgent, refreshAgent } from '@muster/contract/api/agents'
import { runChecks } from '@muster/contract/api/checks'
import { agentCan } from '@muster/rules/agents/available-actions'
import {
  IconBellCog,
  IconBellQuestion,
  IconCalendarClock,
  IconChartDots,
  IconClockHour4,
  IconDeviceDesktop,
  IconDeviceDesktopCog,
  IconFileCode,
  IconLayoutGrid,
  IconListDetails,
  IconPencil,
  IconPlayerPlay,
  IconPlugConnected,
  IconPower,
  IconRefresh,
  IconScreenShare,
  IconSettings,
  IconShieldPlus,
  IconTerminal2,
  IconTool,
  IconTrash,
} from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { notifyDone, notifyUndo } from '../../app/shell/notify.ts'
import { useMay, useServerMachineReason } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { unlessAllowed } from '../../app/shell/row-actions.ts'
import { divider, type MenuEntry } from '../../ui/dialog/menu-entry.ts'
import { useUrlActionMenu } from '../url-actions/use-url-actions.ts'
import { useUpdateMenu } from '../updates/use-update-menu.ts'
import { usePowerMenu } from '../power/use-power-menu.ts'
import { openRemoteBackground, TOOL_WINDOW } from '../remote/side-by-side.ts'
import { patchMachine } from './use-live-machines.ts'

export type MenuAgent = Pick<
  AgentRow,
  'agent_id' | 'hostname' | 'connected' | 'maintenance_mode' | 'server_machine'
>

/** All actions of a machine: the menu of the table, the summary and the machine page. */
export function useAgentMenu(agent: MenuAgent | undefined, { onAgentPage = false } = {}): MenuEntry[] {
  const mayEdit = useMay('can_edit_agent')
  const maySend = useMay('can_send_cmd')
  // Choosing a script needs permission to list scripts.
  const mayList = useMay('can_list_scripts')
  const mayRun = useMay('can_run_scripts') && mayList
  const mayDesktop = useMay('can_use_mesh')
  const mayTerminal = useMay('can_use_terminal')
  const mayRunChecks = useMay('can_run_checks')
  const mayRemove = useMay('can_uninstall_agents')
  const mayPolicies = useMay('can_manage_automation_policies')
  const mayListTemplates = useMay('can_list_alerttemplates')
  const mayPending = useMay('can_list_pendingactions')
  const mayRemote = useMay('can_manage_remote_access')
  const { urlActions, isLoading } = useUrlActionMenu()
  const { open } = useDialog()
  const navigate = useNavigate()
  const maintenance = useSetMaintenance()
  const refresh = useRefreshInventory()
  const check = useRunChecks()
  const power = usePowerMenu()
  const update = useUpdateMenu()
  const serverReason = useServerMachineReason(agent)
  if (agent === undefined || isLoading) return []
  const { agent_id, hostname, connected, maintenance_mode } = agent
  const away = connected ? undefined : `${hostname} is offline.`
  const openPage: MenuEntry[] = onAgentPage
    ? []
    : [
        {
          id: 'open',
          label: 'Open machine page',
          icon: IconListDetails,
          shortcut: 'Enter',
          run: () => void navigate({ to: '/agents/$agent_id', params: { agent_id } }),
        },
      ]
  const entries: MenuEntry[] = [
    {
      id: 'take-control',
      label: 'Take control',
      icon: IconScreenShare,
      disabledReason: unlessAllowed(mayDesktop),
      words: 'remote desktop screen connect log in',
      run: () => void window.open(`/takecontrol/${agent_id}`, '_blank', TOOL_WINDOW),
    },
    {
      id: 'remote-background',
      label: 'Remote background',
      icon: IconDeviceDesktop,
      disabledReason: unlessAllowed(mayTerminal),
      words: 'terminal shell ssh files processes services registry log in',
      run: () => openRemoteBackground(agent_id),
    },
    {
      id: 'terminals',
      label: 'Terminals side by side',
      icon: IconLayoutGrid,
      disabledReason: unlessAllowed(mayTerminal),
      run: () => open('side-by-side', `agent-${agent_id}`),
    },
    divider('run'),
    {
      id: 'send-command',
      label: 'Send command',
      icon: IconTerminal2,
      note: noteOf(agentCan.sendCommand(agent)),
      disabledReason: unlessAllowed(maySend),
      words: 'shell execute powershell cmd',
      run: () => open('send-command', agent_id),
    },
    {
      id: 'run-script',
      label: 'Run script',
      icon: IconFileCode,
      note: noteOf(agentCan.runScript(agent)),
      disabledReason: unlessAllowed(mayRun),
      words: 'execute',
      run: () => open('run-script', agent_id),
    },
    {
      id: 'run-checks',
      label: 'Run checks',
      icon: IconPlayerPlay,
      disabledReason: unlessAllowed(mayRunChecks) ?? away,
      words: 'test again',
      run: () => check({ agent_id, hostname }),
    },
    divider('state'),
    {
      id: 'maintenance',
      label: maintenance_mode ? 'Disable maintenance mode' : 'Enable maintenance mode',
      icon: IconTool,
      note: maintenance_mode ? undefined : 'No end time',
      disabledReason: unlessAllowed(mayEdit),
      words: 'silence mute downtime',
      run: () => maintenance({ agent_id, hostname, on: !maintenance_mode }),
    },
    {
      id: 'plan-maintenance',
      label: 'Plan maintenance',
      icon: IconCalendarClock,
      disabledReason: unlessAllowed(mayEdit),
      words: 'downtime window',
      run: () => open('maintenance', `agent-${agent_id}`),
    },
    { id: 'power', label: 'Power', icon: IconPower, entries: power({ agent_id, hostname, connected }) },
    {
      id: 'alerts-and-policies',
      label: 'Alerts and policies',
      icon: IconShieldPlus,
      entries: [
        {
          id: 'assign-policies',
          label: 'Assign policies',
          icon: IconShieldPlus,
          disabledReason: unlessAllowed(mayPolicies),
          run: () => open('assign-policies', `agent-${agent_id}`),
        },
        {
          id: 'assign-template',
          label: 'Assign alert template',
          icon: IconBellCog,
          disabledReason: unlessAllowed(mayEdit && mayListTemplates),
          run: () => open('assign-template', `agent-${agent_id}`),
        },
        {
          id: 'alert-preview',
          label: 'Preview alerts',
          icon: IconBellQuestion,
          disabledReason: unlessAllowed(mayListTemplates),
          run: () => open('alert-preview', agent_id),
        },
      ],
    },
    {
      id: 'manage',
      label: 'Manage',
      icon: IconSettings,
      entries: [
        {
          id: 'pending-actions',
          label: 'Pending actions',
          icon: IconClockHour4,
          disabledReason: unlessAllowed(mayPending),
          run: () => open('pending-actions', agent_id),
        },
        {
          id: 'refresh',
          label: 'Refresh inventory',
          icon: IconRefresh,
          disabledReason: unlessAllowed(mayEdit) ?? away,
          words: 'facts hardware',
          run: () => refresh({ agent_id, hostname }),
        },
        {
          id: 'compare',
          label: 'Compare with other machines',
          icon: IconChartDots,
          // The format of history-view.ts, which the first screen does not load.
          run: () => open('compare', 'cpu', `24h,${agent_id}`),
        },
        {
          id: 'vnc',
          label: 'VNC',
          icon: IconPlugConnected,
          disabledReason: unlessAllowed(mayDesktop),
          run: () => open('vnc', agent_id),
        },
        {
          id: 'remote-access',
          label: 'Remote access',
          icon: IconDeviceDesktopCog,
          disabledReason: unlessAllowed(mayRemote),
          run: () => open('remote-access', `agent-${agent_id}`),
        },
        divider('updates'),
        ...update({ agent_id, hostname, connected }),
      ],
    },
    ...urlActions({ agent_id }),
    divider('end'),
    {
      id: 'edit',
      label: `Edit ${hostname}`,
      icon: IconPencil,
      disabledReason: unlessAllowed(mayEdit),
      words: 'rename description move site',
      run: () => open('edit-agent', agent_id),
    },
    {
      id: 'remove',
      label: 'Remove machine',
      icon: IconTrash,
      danger: true,
      disabledReason: unlessAllowed(mayRemove),
      words: 'delete uninstall',
      run: () => open('remove-agent', agent_id),
    },
  ]
  return [...openPage, ...(serverReason === undefined ? entries : entries.map(disableActs(serverReason)))]
}

/** Entries that do nothing on the machine. */
const LOOKS = /^(alert-preview|pending-actions|compare|url-action)/

function disableActs(reason: string) {
  const disable = (entry: MenuEntry): MenuEntry => {
    if ('entries' in entry) return { ...entry, entries: entry.entries.map(disable) }
    if (!('run' in entry) || LOOKS.test(entry.id)) return entry
    return { ...entry, disabledReason: reason }
  }
  return disable
}

function noteOf(can: ReturnType<typeof agentCan.sendCommand>): string | undefined {
  return can.allowed && can.waits ? 'Runs when the machine is back online.' : undefined
}

function useSetMaintenance() {
  const queryClient = useQueryClient()
  const mutation = useMutation({
    mutationFn: ({ agent_id, on }: { agent_id: string; hostname: string; on: boolean }) =>
      call(editAgent, { params: { agent_id }, body: { maintenance_mode: on } }),
    onSuccess: (detail, { hostname, on }) => {
      queryClient.setQueryData(queryKey(getAgent, { params: { agent_id: detail.agent_id } }), detail)
      patchMachine(queryClient, { agent_id: detail.agent_id, maintenance_mode: detail.maintenance_mode })
      if (on) {
        const undo = () => mutation.mutate({ agent_id: detail.agent_id, hostname, on: false })
        notifyUndo(`${hostname} is in maintenance mode with no end time.`, undo)
      } else notifyDone(`Maintenance mode of ${hostname} is off.`)
    },
  })
  return mutation.mutate
}

function useRefreshInventory() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ agent_id }: { agent_id: string; hostname: string }) =>
      call(refreshAgent, { params: { agent_id } }),
    onSuccess: (detail, { hostname }) => {
      queryClient.setQueryData(queryKey(getAgent, { params: { agent_id: detail.agent_id } }), detail)
      notifyDone(`Inventory of ${hostname} refreshed.`)
    },
  }).mutate
}

function useRunChecks() {
  return useMutation({
    mutationFn: ({ agent_id }: { agent_id: string; hostname: string }) =>
      call(runChecks, { params: { agent_id }, body: {} }),
    onSuccess: (_, { hostname }) => notifyDone(`Checks started on ${hostname}.`),
  }).mutate
}
