import { type AgentName, listAgents } from '@muster/contract/api/agents'
import { useNavigate } from '@tanstack/react-router'
import type { z } from 'zod'
import { callPage } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'
import { usePaletteSource } from '../../app/shell/palette.ts'

export const agentDialogs = {
  'edit-agent': () => import('./EditAgentDialog.tsx').then((file) => file.EditAgentDialog),
  'remove-agent': () => import('./RemoveAgentDialog.tsx').then((file) => file.RemoveAgentDialog),
} satisfies DialogLoaders

const MACHINES_SHOWN = 8

export function useMachineSource(): void {
  const navigate = useNavigate()
  const allowed = useMay('can_list_agents')
  usePaletteSource('machines', async (text, signal) => {
    if (!allowed || text === '') return []
    const { results } = await callPage<typeof listAgents, z.infer<typeof AgentName>>(
      listAgents,
      { query: { detail: 'false', search: text, page: 1, page_size: MACHINES_SHOWN } },
      { signal },
    )
    return results.map(({ agent_id, hostname, client, site }) => ({
      id: `machine ${agent_id}`,
      group: 'Machines',
      label: hostname,
      hint: `${client} · ${site}`,
      // The server has matched it by any of its fields.
      words: text,
      run: () => void navigate({ to: '/agents/$agent_id', params: { agent_id } }),
    }))
  })
}
