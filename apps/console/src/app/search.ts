import { AgentId } from '@muster/contract/fields'
import { TableTab } from '@muster/contract/api/users'
import { type TreeNodeKey, parseTreeNode } from '@muster/rules/search/tree-order'
import { z } from 'zod'

// The address holds the state of the screen. Invalid values count as absent.

const text = z.string().max(500).optional().catch(undefined)
/** Longer than any file path or registry key. */
const place = z.string().max(6000).optional().catch(undefined)

/** Every screen of the main layout: the open dialog, its subject (`edit-client` and `3`), its filter. */
export const frameSearch = z.object({ dialog: text, item: text, filter: text })

export const PANES = [
  'summary',
  'metrics',
  'processes',
  'services',
  'scheduler',
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

/** Tab of a machine, its open entry (a command of the history), the filter of its list. */
const paneSearch = {
  pane: z.enum(PANES).optional().catch(undefined),
  entry: text,
  find: text,
}

export const agentSearch = z.object(paneSearch)

const REMOTE_TOOLS = [
  'terminal',
  'files',
  'processes',
  'services',
  'scheduler',
  'logs',
  'registry',
  'sessions',
] as const
export type RemoteTool = (typeof REMOTE_TOOLS)[number]

/** The tool in a Remote Background window (absent = the terminal), the location in it, the search text. */
export const remoteSearch = z.object({
  tool: z.enum(REMOTE_TOOLS).optional().catch(undefined),
  at: place,
  find: place,
})
export type RemoteSearch = z.infer<typeof remoteSearch>

/** The tool in a web terminal window; absent = the terminal. */
export const webTermSearch = z.object({ tool: z.enum(['sessions']).optional().catch(undefined) })

/** Machines whose terminals are shown side by side, as `a.b.c`. */
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

/** The filter of the alert list: `?severity=error,warning&also=resolved&days=7`. */
export const alertsSearch = z.object({
  clients: text,
  severity: text,
  type: text,
  also: text,
  days: text,
  search: text,
})
export type AlertsSearch = z.infer<typeof alertsSearch>

/** Packages of all machines: search text, order, and the package whose machines are shown. */
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

/** The selected line of the policy overview. */
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
  // `|` and `:` need no escaping in a query string, and read better without it.
  const written = params.toString().replaceAll('%7C', '|').replaceAll('%3A', ':')
  return written === '' ? '' : `?${written}`
}
