import type { Client } from '@muster/contract/api/clients'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { clientsQuery, useMay } from '../../app/api/queries.ts'
import type { DialogLoaders } from '../../app/dialogs/use-dialog.ts'
import type { DashboardSearch } from '../../app/search.ts'
import { usePaletteSource } from '../../app/shell/palette.ts'

export const clientDialogs = {
  'add-client': () => import('./ClientDialog.tsx').then((file) => file.AddClientDialog),
  'edit-client': () => import('./ClientDialog.tsx').then((file) => file.EditClientDialog),
  'remove-client': () => import('./RemoveDialogs.tsx').then((file) => file.RemoveClientDialog),
  'add-site': () => import('./SiteDialog.tsx').then((file) => file.AddSiteDialog),
  'edit-site': () => import('./SiteDialog.tsx').then((file) => file.EditSiteDialog),
  'remove-site': () => import('./RemoveDialogs.tsx').then((file) => file.RemoveSiteDialog),
} satisfies DialogLoaders

export function useClientSource(): void {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const allowed = useMay('can_list_clients')
  const show = (node: DashboardSearch['node']) => () => void navigate({ to: '/', search: { node } })
  usePaletteSource('clients', allowed, async (text) => {
    if (!allowed || text === '') return []
    const clients = await queryClient.ensureQueryData(clientsQuery)
    return clients.flatMap((client: Client) => [
      { id: `client ${client.id}`, group: 'Clients', label: client.name, run: show(`Client|${client.id}`) },
      ...client.sites.map((site) => ({
        id: `site ${site.id}`,
        group: 'Clients',
        label: site.name,
        hint: client.name,
        run: show(`Site|${site.id}`),
      })),
    ])
  })
}
