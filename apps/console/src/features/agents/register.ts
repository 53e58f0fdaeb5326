import { type AgentName, listAgents } from '@muster/contract/calls/agents'
import { IconDeviceDesktop, IconSearch } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { z } from 'zod'
import { callPage } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'
import { paletteMachine, usePaletteSource } from '../../app/shell/palette.ts'
import { type RecentMachine, recentMachines } from './recent-machines.ts'

export const agentDialogs = {
  'edit-agent': () => import('./EditAgentDialog.tsx').then((file) => file.EditAgentDialog),
  'remove-agent': () => import('./RemoveAgentDialog.tsx').then((file) => file.RemoveAgentDialog),
  'search-help': () => import('./SearchHelpDialog.tsx').then((file) => file.SearchHelpDialog),
} satisfies DialogLoaders

const MACHINES_SHOWN = 8

export function useMachineSource(): void {
  const navigate = useNavigate()
  const allowed = useMay('can_list_agents')
  const entryOf = (machine: RecentMachine, group: string, words = '') => ({
    id: `machine ${machine.agent_id}`,
    group,
    label: machine.hostname,
    icon: IconDeviceDesktop,
    hint: `${machine.client} · ${machine.site_name}`,
    words,
    run: () => void navigate({ to: '/agents/$agent_id', params: { agent_id: machine.agent_id } }),
  })
  const listRecent = () =>
    recentMachines()
      .filter(({ agent_id }) => agent_id !== paletteMachine()?.agent_id)
      .map((machine) => entryOf(machine, 'Recent'))
  usePaletteSource('machines', allowed, async (text, signal) => {
    if (!allowed) return []
    if (text === '') return listRecent()
    const { results } = await callPage<typeof listAgents, z.infer<typeof AgentName>>(
      listAgents,
      { query: { detail: 'false', search: text, page: 1, page_size: MACHINES_SHOWN } },
      { signal },
    )
    return [
      ...SEARCHES.map(({ label, words, search }) => ({
        id: `search ${search}`,
        group: 'Searches',
        label,
        icon: IconSearch,
        words,
        run: () => void navigate({ to: '/', search: { search } }),
      })),
      // The server has matched them by any of their fields.
      ...results.map(({ site, ...machine }) => entryOf({ ...machine, site_name: site }, 'Machines', text)),
    ]
  })
}

/** Searches by everyday words. */
const SEARCHES = [
  { label: 'Offline machines', words: 'away down disconnected', search: 'is:offline' },
  { label: 'Overdue machines', words: 'away dead down missing', search: 'is:overdue' },
  { label: 'Machines with failing checks', words: 'problems errors broken', search: 'check:failing' },
  {
    label: 'Machines that cannot measure a check',
    words: 'missing program ping',
    search: 'check:not_measured',
  },
  { label: 'Machines with a busy processor', words: 'slow cpu load', search: 'cpu>80' },
  { label: 'Machines with little free disk space', words: 'full storage', search: 'disk_free<10%' },
  { label: 'Machines that need a reboot', words: 'restart pending', search: 'is:rebootneeded' },
]
