import { updateAgents } from '@muster/contract/api/updates'
import { IconCloudCog, IconCloudDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { unlessAllowed } from '../../app/shell/row-actions.ts'
import type { MenuEntry } from '../../ui/dialog/menu-entry.ts'

interface UpdateAgent {
  agent_id: string
  hostname: string
  connected: boolean
}

/** The update of its agent, for the menu of a machine. */
export function useUpdateMenu(): (agent: UpdateAgent) => MenuEntry[] {
  const mayUpdate = useMay('can_update_agents')
  const { open } = useDialog()
  const { mutate } = useMutation({
    mutationFn: ({ agent_id }: UpdateAgent) => call(updateAgents, { body: { agent_ids: [agent_id] } }),
    onSuccess: (_, { hostname }) => notifyDone(`Agent update of ${hostname} ordered.`),
  })
  return (agent) => [
    {
      id: 'update-agent',
      label: 'Update agent',
      icon: IconCloudDownload,
      note: agent.connected ? undefined : 'Runs when the machine is back online.',
      disabledReason: unlessAllowed(mayUpdate),
      run: () => mutate(agent),
    },
    {
      id: 'agent-updates',
      label: 'Pause or pin updates',
      icon: IconCloudCog,
      disabledReason: unlessAllowed(mayUpdate),
      run: () => open('agent-updates', `agent-${agent.agent_id}`),
    },
  ]
}
