import type { createInstaller } from '@muster/contract/api/agents'
import type { Client } from '@muster/contract/api/clients'
import type { AgentPackage } from '@muster/contract/api/installers'
import type { Input } from '@muster/contract/endpoint'
import type { Platform } from '@muster/contract/fields'
import { parseTreeNode } from '@muster/rules/search/tree-order'

/** Ids as texts. */
export interface SiteChoice {
  client: string | null
  site: string | null
}

/** Values of the dialog. Empty number inputs are texts. */
export interface InstallForm extends SiteChoice, Record<string, unknown> {
  plat: Platform
  /** `line` is pasted into a shell; the others are packages. */
  method: InstallWay
  goarch: 'amd64' | 'arm64'
  agenttype: 'server' | 'workstation'
  expires: number | string
  uses: number | string
  own_folder: boolean
  data_folder: string
  power: boolean
  rdp: boolean
  ping: boolean
}

export type InstallWay = 'line' | AgentPackage['format']

export const PLATFORMS: readonly { value: Platform; label: string }[] = [
  { value: 'windows', label: 'Windows' },
  { value: 'darwin', label: 'macOS' },
  { value: 'linux', label: 'Linux' },
]

/** The ways to install on each platform, the usual one first. */
export const WAYS: Readonly<Record<Platform, readonly { value: InstallWay; label: string }[]>> = {
  windows: [
    { value: 'line', label: 'PowerShell command' },
    { value: 'msi', label: 'MSI package' },
  ],
  darwin: [
    { value: 'line', label: 'Shell command' },
    { value: 'tar.xz', label: '.tar.xz package' },
  ],
  linux: [
    { value: 'line', label: 'Shell command' },
    { value: 'deb', label: '.deb package' },
    { value: 'rpm', label: '.rpm package' },
  ],
}

/** Requirements of a platform, by the way of installation. */
export function describeWay({ plat, method }: Pick<InstallForm, 'plat' | 'method'>): string {
  if (plat === 'windows') {
    return method === 'line'
      ? 'For one machine. Requires 64-bit Windows 10 or Server 2016, or newer.'
      : 'For Group Policy, Intune and other device management.'
  }
  if (plat === 'darwin') return 'Requires macOS 13.5 or newer and an administrator.'
  if (method === 'line') return 'Requires root and curl.'
  return method === 'deb' ? 'For Debian, Ubuntu and their relatives.' : 'For Red Hat, Fedora and SUSE.'
}

/** Whether the agent can run in the foreground from a folder of its own. */
export const mayUseOwnFolder = ({ plat, method }: Pick<InstallForm, 'plat' | 'method'>): boolean =>
  method === 'line' && plat !== 'windows'

/** Whether the installer can change settings of the machine besides the agent. */
export const maySetFlags = ({ plat, method }: Pick<InstallForm, 'plat' | 'method'>): boolean =>
  plat === 'windows' && method === 'line'

const MAX_HOURS = 24 * 365
export const MAX_USES = 100_000

/** One error for each invalid field. */
export function checkInstallForm(form: InstallForm): Partial<Record<keyof InstallForm, string>> {
  return {
    ...(form.client === null ? { client: 'Choose a client.' } : {}),
    ...(form.site === null ? { site: 'Choose a site.' } : {}),
    ...(isWhole(form.expires, MAX_HOURS) ? {} : { expires: `Enter 1 to ${MAX_HOURS} hours.` }),
    ...(isWhole(form.uses, MAX_USES) ? {} : { uses: `Enter 1 to ${MAX_USES} machines.` }),
    ...(usesOwnFolder(form) && !isFolder(form.data_folder)
      ? { data_folder: 'Enter the full path, such as /home/ada/muster-agent.' }
      : {}),
  }
}

/** The request. Only for a valid form. */
export function toInstallerRequest(form: InstallForm): Input<typeof createInstaller>['body'] {
  const { plat, method, agenttype, power, rdp, ping } = form
  return {
    client: Number(form.client),
    site: Number(form.site),
    agenttype,
    plat,
    expires: Number(form.expires),
    uses: Number(form.uses),
    ...(method === 'line' ? {} : { installMethod: 'manual' as const }),
    ...(method === 'deb' || method === 'rpm' ? { format: method } : {}),
    goarch: goarchOf(form),
    ...(usesOwnFolder(form) ? { data_folder: form.data_folder.trim() } : {}),
    ...(maySetFlags(form) ? { rdp, ping, power: power && agenttype === 'workstation' } : {}),
  }
}

/** A command detects the processor; its package is built for the usual one. */
function goarchOf({ plat, method, goarch }: InstallForm): InstallForm['goarch'] {
  if (method !== 'line') return goarch
  return plat === 'darwin' ? 'arm64' : 'amd64'
}

const usesOwnFolder = (form: InstallForm): boolean => form.own_folder && mayUseOwnFolder(form)

/** Initial client and site: the requested ones (`7`, `Site|7`, `Client|3`), else the only choice. */
export function findInitialSite(clients: readonly Client[], wanted: string | undefined): SiteChoice {
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

export const isWhole = (value: number | string, most: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most

// The shell must not expand the path: no ~ and no variables.
const isFolder = (path: string): boolean => /^\/[^/]/.test(path.trim()) && path.trim().length <= 1000
