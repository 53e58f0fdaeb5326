import { useHotkeys } from '@mantine/hooks'
import { type AgentName, listAgents } from '@muster/contract/api/agents'
import type { Client } from '@muster/contract/api/clients'
import { listScripts, type Script } from '@muster/contract/api/scripts'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { z } from 'zod'
import { callPage, query } from '../api/api.ts'
import { clientsQuery, useMay } from '../api/queries.ts'
import type { DashboardSearch } from '../search.ts'
import { useDialog } from '../dialogs/use-dialog.ts'
import { CommandPalette } from './CommandPalette.tsx'
import { openPalette, type PaletteEntry, usePaletteOpened, usePaletteSource } from './palette.ts'
import { useDarkMode } from './look.ts'
import { openToolWindow, useMenus } from './menus.ts'

/** Opens the palette on Ctrl+K, also from within a field. */
export function PaletteHost() {
  useHotkeys([['mod+K', openPalette]], [])
  useFramePaletteSources()
  const opened = usePaletteOpened()
  // Not loaded on demand: text typed right after Ctrl+K must not be lost.
  return opened && <CommandPalette />
}

const MACHINES_SHOWN = 8

/** Palette entries on every screen: screens, actions, clients with their sites, machines, scripts. */
function useFramePaletteSources(): void {
  useActionSource()
  useClientSource()
  useMachineSource()
  useScriptSource()
}

function useActionSource(): void {
  const menus = useMenus()
  const { open } = useDialog()
  const navigate = useNavigate()
  const { dark, toggle } = useDarkMode()
  const action = (label: string, run: () => void): PaletteEntry => ({
    id: `action ${label}`,
    group: 'Actions',
    label,
    run,
  })
  usePaletteSource('actions', () => [
    { ...action('Dashboard', () => void navigate({ to: '/' })), group: 'Screens' },
    ...menus.flatMap(({ label: menu, items }) =>
      items.map(({ label, opens }) => ({
        ...action(label, () => {
          if ('dialog' in opens) open(opens.dialog)
          else if ('page' in opens) void navigate({ to: opens.page })
          else if ('window' in opens) openToolWindow(opens)
          else window.open(opens.href, '_blank', 'noreferrer')
        }),
        ...('page' in opens ? { group: 'Screens' } : {}),
        hint: menu,
      })),
    ),
    action('Preferences', () => open('preferences')),
    action(dark ? 'Light mode' : 'Dark mode', toggle),
    action('Sessions', () => open('sessions')),
    action('Change password', () => open('reset-password')),
    action('Set up two-factor again', () => open('reset-2fa')),
    action('Sign out', () => void navigate({ to: '/expired' })),
  ])
}

function useClientSource(): void {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const allowed = useMay('can_list_clients')
  const show = (node: DashboardSearch['node']) => () => void navigate({ to: '/', search: { node } })
  usePaletteSource('clients', async (text) => {
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

function useMachineSource(): void {
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

function useScriptSource(): void {
  const queryClient = useQueryClient()
  const { open } = useDialog()
  const allowed = useMay('can_list_scripts')
  usePaletteSource('scripts', async (text) => {
    if (!allowed || text === '') return []
    // The same query as the library's, which then has the scripts cached.
    const scripts = await queryClient.ensureQueryData(
      query(listScripts, { query: { showCommunityScripts: 'true', showHiddenScripts: 'true' } }),
    )
    return scripts
      .filter(({ hidden }: Script) => !hidden)
      .map(({ id, name, category, description }: Script) => ({
        id: `script ${id}`,
        group: 'Scripts',
        label: name,
        hint: category,
        words: description,
        run: () => open('script', id),
      }))
  })
}
