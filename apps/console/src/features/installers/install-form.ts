import type { createInstaller } from '@muster/contract/api/agents'
import type { Client } from '@muster/contract/api/clients'
import type { Input } from '@muster/contract/endpoint'
import { parseTreeNode } from '@muster/rules/search/tree-order'

/** Values of the dialog. Empty number inputs are texts. */
export interface InstallForm extends Record<string, unknown> {
  client: string | null
  site: string | null
  agenttype: 'server' | 'workstation'
  expires: number | string
  uses: number | string
  own_folder: boolean
  data_folder: string
}

const MAX_HOURS = 24 * 365
const MAX_USES = 100_000

/** One error for each invalid field. */
export function checkInstallForm(form: InstallForm): Partial<Record<keyof InstallForm, string>> {
  return {
    ...(form.client === null ? { client: 'Choose a client.' } : {}),
    ...(form.site === null ? { site: 'Choose a site.' } : {}),
    ...(isWhole(form.expires, MAX_HOURS) ? {} : { expires: `Enter 1 to ${MAX_HOURS} hours.` }),
    ...(isWhole(form.uses, MAX_USES) ? {} : { uses: `Enter 1 to ${MAX_USES} machines.` }),
    ...(form.own_folder && !isFolder(form.data_folder)
      ? { data_folder: 'Enter the full path, such as /home/ada/muster-agent.' }
      : {}),
  }
}

/** The request. Only for a valid form. */
export function toInstallerRequest(form: InstallForm): Input<typeof createInstaller>['body'] {
  return {
    client: Number(form.client),
    site: Number(form.site),
    agenttype: form.agenttype,
    plat: 'linux',
    expires: Number(form.expires),
    uses: Number(form.uses),
    ...(form.own_folder ? { data_folder: form.data_folder.trim() } : {}),
  }
}

/** Initial client and site: the requested ones (`7`, `Site|7`, `Client|3`), else the only choice. */
export function findInitialSite(
  clients: readonly Client[],
  wanted: string | undefined,
): Pick<InstallForm, 'client' | 'site'> {
  const node = parseTreeNode(/^\d+$/.test(wanted ?? '') ? `Site|${wanted}` : wanted)
  const client =
    node?.kind === 'Site'
      ? clients.find(({ sites }) => sites.some(({ id }) => id === node.id))
      : (clients.find(({ id }) => id === node?.id) ?? only(clients))
  if (client === undefined) return { client: null, site: null }
  const site = node?.kind === 'Site' ? client.sites.find(({ id }) => id === node.id) : only(client.sites)
  return { client: `${client.id}`, site: site === undefined ? null : `${site.id}` }
}

/** The element of a list of one. */
export function only<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined
}

/** Whether an address reaches only the server's own machine. */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}

const isWhole = (value: number | string, most: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most

// The shell must not expand the path: no ~ and no variables.
const isFolder = (path: string): boolean => /^\/[^/]/.test(path.trim()) && path.trim().length <= 1000
