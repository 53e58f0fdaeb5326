import { AgentId } from '@muster/contract/fields'
import { TableTab } from '@muster/contract/api/users'
import { type TreeNodeKey, parseTreeNode } from '@muster/rules/search/tree-order'
import { z } from 'zod'

// What is on screen is in the address. Whatever a person typed there and is none of these counts as absent.

const text = z.string().max(500).optional().catch(undefined)
/** Longer than a path of a file or a key can be. */
const place = z.string().max(6000).optional().catch(undefined)

/** Every screen of the main layout: the open dialog, what it is about (`edit-client` and `3`), what it is narrowed to. */
export const frameSearch = z.object({ dialog: text, item: text, filter: text })

export const PANES = [
  'summary',
  'metrics',
  'processes',
  'services',
  'patches',
  'software',
  'checks',
  'tasks',
  'policies',
  'alerts',
  'history',
  'notes',
  'audit',
] as const
export type Pane = (typeof PANES)[number]

/** Sub-tab of a machine, the entry of it that is open (a command of the history), what its list is narrowed to. */
const paneSearch = {
  pane: z.enum(PANES).optional().catch(undefined),
  entry: text,
  find: text,
}

export const agentSearch = z.object(paneSearch)

const REMOTE_TOOLS = ['terminal', 'files', 'processes', 'services', 'logs', 'registry', 'sessions'] as const
export type RemoteTool = (typeof REMOTE_TOOLS)[number]

/** The tool that a window of Remote Background shows (absent = the terminal), where in it, what is searched for. */
export const remoteSearch = z.object({
  tool: z.enum(REMOTE_TOOLS).optional().catch(undefined),
  at: place,
  find: place,
})
export type RemoteSearch = z.infer<typeof remoteSearch>

/** What the window of the web terminal shows; absent = the terminal. */
export const webTermSearch = z.object({ tool: z.enum(['sessions']).optional().catch(undefined) })

/** Machines whose terminals stand side by side, as `a.b.c`. */
export const togetherSearch = z.object({ agents: text })

export const dashboardSearch = z.object({
  /** `Client|3`, `Site|2`; absent = all clients. */
  node: z
    .custom<TreeNodeKey>((key) => parseTreeNode(key) !== undefined)
    .optional()
    .catch(undefined),
  tab: TableTab.optional().catch(undefined),
  search: text,
  /** A column, with `-` before it for descending. */
  sort: z
    .string()
    .regex(/^-?[a-z_]{1,40}$/)
    .optional()
    .catch(undefined),
  /** The selected machine. */
  agent: AgentId.optional().catch(undefined),
  ...paneSearch,
})
export type DashboardSearch = z.infer<typeof dashboardSearch>

/** What the list of alerts is narrowed to: `?severity=error,warning&also=resolved&days=7`. */
export const alertsSearch = z.object({
  clients: text,
  severity: text,
  type: text,
  also: text,
  days: text,
  search: text,
})
export type AlertsSearch = z.infer<typeof alertsSearch>

/** Packages of all machines: the words, the order, and the package whose machines are shown. */
export const softwareSearch = z.object({
  search: text,
  sort: z.enum(['name', '-name']).optional().catch(undefined),
  title: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional()
    .catch(undefined),
})
export type SoftwareSearch = z.infer<typeof softwareSearch>

/** The line of the policy overview that is chosen. */
export const overviewSearch = z.object({ at: text })

/** `?node=Client|3&search=is:online` as plain text values, without the JSON that the router would write. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search))
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string' || typeof value === 'number') params.set(name, `${value}`)
  }
  // A bar and a colon need no escape in a query, and read better without.
  const written = params.toString().replaceAll('%7C', '|').replaceAll('%3A', ':')
  return written === '' ? '' : `?${written}`
}
