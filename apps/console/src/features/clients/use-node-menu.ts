import { setMaintenance } from '@muster/contract/api/agents'
import { runNodeChecks } from '@muster/contract/api/checks'
import { listClients } from '@muster/contract/api/clients'
import {
  IconBellCog,
  IconBuildingPlus,
  IconCalendarClock,
  IconCloudDownload,
  IconDeviceDesktopCog,
  IconDownload,
  IconLayoutGrid,
  IconPencil,
  IconPlayerPlay,
  IconShieldCheck,
  IconShieldPlus,
  IconStack2,
  IconTool,
  IconTrash,
} from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { notify, notifyDone } from '../../app/shell/notify.ts'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { unlessAllowed } from '../../app/shell/row-actions.ts'
import { divider, type MenuEntry } from '../../ui/dialog/menu-entry.ts'
import { useUrlActionMenu } from '../url-actions/use-url-actions.ts'
import type { NodeLine } from './tree-lines.ts'

/** The actions of a client or a site. */
export function useNodeMenu(line: NodeLine): MenuEntry[] {
  const mayClients = useMay('can_manage_clients')
  const maySites = useMay('can_manage_sites')
  const mayInstall = useMay('can_install_agents')
  const mayPolicies = useMay('can_manage_automation_policies')
  const mayEditAgents = useMay('can_edit_agent')
  const mayListTemplates = useMay('can_list_alerttemplates')
  const mayRemote = useMay('can_manage_remote_access')
  const mayUpdate = useMay('can_update_agents')
  const { urlActions, isLoading } = useUrlActionMenu()
  const { open } = useDialog()
  const endMaintenance = useEndMaintenance(line)
  const mayRunChecks = useMay('can_run_checks')
  const mayRunJobs = useMay('can_list_agent_history')
  const mayTerminal = useMay('can_use_terminal')
  const runNode = useRunNode(line)
  if (line.kind === 'All' || isLoading) return []
  const isClient = line.kind === 'Client'
  const mayManage = isClient ? mayClients : maySites
  const addSite: MenuEntry = {
    id: 'add-site',
    label: 'Add site',
    icon: IconBuildingPlus,
    disabledReason: unlessAllowed(maySites),
    run: () => open('add-site', line.nodeId),
  }
  const disableMaintenance: MenuEntry = {
    id: 'end-maintenance',
    label: 'Disable maintenance mode',
    icon: IconTool,
    note: `On for ${line.maintenance} of ${line.count} machines`,
    disabledReason: unlessAllowed(mayEditAgents),
    run: endMaintenance,
  }
  return [
    {
      id: 'edit',
      label: `Edit ${line.label}`,
      icon: IconPencil,
      disabledReason: unlessAllowed(mayManage),
      run: () => open(isClient ? 'edit-client' : 'edit-site', line.nodeId),
    },
    ...(isClient ? [addSite] : []),
    {
      id: 'install',
      label: 'Install agent',
      icon: IconDownload,
      disabledReason: unlessAllowed(mayInstall),
      run: () => open('install-agent', line.id),
    },
    ...(line.maintenance > 0 ? [disableMaintenance] : []),
    {
      id: 'maintenance',
      label: 'Start or plan maintenance',
      icon: IconCalendarClock,
      note: `For all machines here, now ${line.count}`,
      disabledReason: unlessAllowed(mayEditAgents),
      run: () => open('maintenance', `${isClient ? 'client' : 'site'}-${line.nodeId}`),
    },
    {
      id: 'run-checks',
      label: 'Run checks',
      icon: IconPlayerPlay,
      note: `On all ${line.count} machines`,
      disabledReason: line.count === 0 ? 'No machines here.' : unlessAllowed(mayRunChecks),
      run: runNode,
    },
    {
      id: 'job',
      label: 'Run a job',
      icon: IconStack2,
      disabledReason: line.count === 0 ? 'No machines here.' : unlessAllowed(mayRunJobs),
      run: () => open('new-job', `${isClient ? 'client' : 'site'}-${line.nodeId}`),
    },
    {
      id: 'terminals',
      label: 'Terminals side by side',
      icon: IconLayoutGrid,
      disabledReason: line.count === 0 ? 'No machines here.' : unlessAllowed(mayTerminal),
      run: () => open('side-by-side', `${isClient ? 'client' : 'site'}-${line.nodeId}`),
    },
    {
      id: 'assign-policies',
      label: 'Assign policies',
      icon: IconShieldPlus,
      disabledReason: unlessAllowed(mayPolicies),
      run: () => open('assign-policies', `${isClient ? 'client' : 'site'}-${line.nodeId}`),
    },
    {
      id: 'policy-inheritance',
      label: 'Policy inheritance',
      icon: IconShieldCheck,
      disabledReason: unlessAllowed(mayPolicies),
      run: () => open('policy-inheritance', `${isClient ? 'client' : 'site'}-${line.nodeId}`),
    },
    {
      id: 'assign-template',
      label: 'Assign alert template',
      icon: IconBellCog,
      disabledReason: unlessAllowed(mayManage && mayListTemplates),
      run: () => open('assign-template', `${isClient ? 'client' : 'site'}-${line.nodeId}`),
    },
    {
      id: 'remote-access',
      label: 'Remote access',
      icon: IconDeviceDesktopCog,
      disabledReason: unlessAllowed(mayRemote),
      run: () => open('remote-access', `${isClient ? 'client' : 'site'}-${line.nodeId}`),
    },
    {
      id: 'agent-updates',
      label: 'Agent updates',
      icon: IconCloudDownload,
      disabledReason: unlessAllowed(mayUpdate),
      run: () => open('agent-updates', `${isClient ? 'client' : 'site'}-${line.nodeId}`),
    },
    ...urlActions(isClient ? { client: line.nodeId } : { site: line.nodeId }),
    divider('end'),
    {
      id: 'delete',
      label: isClient ? 'Delete client' : 'Delete site',
      icon: IconTrash,
      danger: true,
      disabledReason: unlessAllowed(mayManage),
      run: () => open(isClient ? 'remove-client' : 'remove-site', line.nodeId),
    },
  ]
}

function useEndMaintenance({ kind, nodeId, label }: NodeLine) {
  const queryClient = useQueryClient()
  const { mutate } = useMutation({
    mutationFn: () =>
      call(setMaintenance, {
        body: { type: kind === 'Site' ? 'Site' : 'Client', id: nodeId, action: false },
      }),
    onSuccess: ({ changed }) => {
      const machines = `${changed} ${changed === 1 ? 'machine' : 'machines'} of ${label}`
      notifyDone(`Maintenance mode disabled for ${machines}.`)
      void queryClient.invalidateQueries({ queryKey: queryKey(listClients) })
    },
  })
  return () => mutate()
}

function useRunNode({ kind, nodeId, label }: NodeLine) {
  const { mutate } = useMutation({
    mutationFn: () =>
      call(runNodeChecks, { params: { level: kind === 'Site' ? 'site' : 'client', id: nodeId } }),
    onSuccess: ({ sent, offline }) => {
      const away = offline === 0 ? '' : ` ${offline} offline.`
      const machines = `${sent} ${sent === 1 ? 'machine' : 'machines'} of ${label}`
      notify(`Checks started on ${machines}.${away}`, { tone: sent === 0 ? 'warning' : 'positive' })
    },
  })
  return () => mutate()
}
