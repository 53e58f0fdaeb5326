import { JOB_AGENT_STATES } from '@muster/rules/fleet-jobs/job-state'
import type { TableTab } from '@muster/contract/api/users'
import { type TreeNodeKey, parseTreeNode } from '@muster/rules/search/tree-order'

// The address holds the state of the screen. Invalid values count as absent. Read without zod, which the first load does
// not contain.

type Reader<Value extends string> = (value: unknown) => Value | undefined
type Fields = Record<string, (value: unknown) => unknown>
type Search<Shape extends Fields> = { [Name in keyof Shape]?: ReturnType<Shape[Name]> }

/** Reads these fields of an address, and drops the others. */
function fields<Shape extends Fields>(shape: Shape): (search: Record<string, unknown>) => Search<Shape> {
  return (search) =>
    Object.fromEntries(
      Object.entries(shape).flatMap(([name, read]) => (name in search ? [[name, read(search[name])]] : [])),
      // Each value was read by the reader of its name.
    ) as Search<Shape>
}

const upTo =
  (length: number): Reader<string> =>
  (value) =>
    typeof value === 'string' && value.length <= length ? value : undefined
const matching =
  (pattern: RegExp): Reader<string> =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? value : undefined
const oneOf =
  <const Value extends string>(values: readonly Value[]): Reader<Value> =>
  (value) =>
    values.find((known) => known === value)

const text = upTo(500)
/** Longer than any file path or registry key. */
const place = upTo(6000)
const agentId = matching(/^[A-Za-z0-9]{8,64}$/)
const treeNode: Reader<TreeNodeKey> = (key) =>
  // Just checked.
  parseTreeNode(key) === undefined ? undefined : (key as TreeNodeKey)

/** A tab of the machines table. */
export const readTab = oneOf<TableTab>(['server', 'workstation', 'mixed'])

/** Every screen of the main layout: the open dialog, its subject (`edit-client` and `3`), its filter. */
export const frameSearch = fields({ dialog: text, item: text, filter: text })

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
  pane: oneOf(PANES),
  entry: text,
  find: text,
}

export const agentSearch = fields(paneSearch)

/** The field of the settings to focus. */
export const settingsSearch = fields({ field: text })

/** A page with one list: what it is narrowed to. */
export const listSearch = fields({ find: text })

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
export const remoteSearch = fields({
  tool: oneOf(REMOTE_TOOLS),
  at: place,
  find: place,
})
export type RemoteSearch = ReturnType<typeof remoteSearch>

/** The tool in a web terminal window; absent = the terminal. */
export const webTermSearch = fields({ tool: oneOf(['sessions']) })

/** Machines whose terminals are shown side by side, as `a.b.c`. */
export const togetherSearch = fields({ agents: text })

export const dashboardSearch = fields({
  /** `Client|3`, `Site|2`; absent = all clients. */
  node: treeNode,
  tab: readTab,
  search: text,
  /** A column, with `-` before it for descending. */
  sort: matching(/^-?[a-z][a-z0-9_]{0,39}$/),
  /** The open view of the table. */
  view: matching(/^\d{1,9}$/),
  /** The selected machine. */
  agent: agentId,
  ...paneSearch,
})
export type DashboardSearch = ReturnType<typeof dashboardSearch>

/** The filter of alerts: `?severity=error,warning&state=resolved&days=7`, the open cause, the chosen alert. */
export const alertsSearch = fields({
  /** Absent = by cause. */
  view: oneOf(['list']),
  group: text,
  alert: matching(/^[1-9]\d{0,8}$/),
  clients: text,
  severity: text,
  type: text,
  /** Absent = open. */
  state: oneOf(['acknowledged', 'snoozed', 'suppressed', 'resolved', 'all']),
  days: text,
  search: text,
})
export type AlertsSearch = ReturnType<typeof alertsSearch>

/** Packages of all machines: search text, order, filter, and the package whose machines are shown. */
export const softwareSearch = fields({
  search: text,
  sort: oneOf(['name', '-name']),
  title: matching(/^[0-9a-f]{32}$/),
  /** Only packages with a newer version. */
  only: oneOf(['outdated']),
})
export type SoftwareSearch = ReturnType<typeof softwareSearch>

/** Patches of all machines: filter, order, the patch whose machines are shown, and whether failures are. */
export const patchesSearch = fields({
  search: text,
  severity: oneOf(['Critical', 'Important', 'Moderate', 'Low', 'none']),
  decision: oneOf(['undecided', 'approved', 'ignored']),
  client: matching(/^[1-9]\d{0,8}$/),
  sort: oneOf(['severity', '-machines', 'title', '-first_seen']),
  patch: matching(/^[0-9a-f]{32}$/),
  show: oneOf(['failures']),
})
export type PatchesSearch = ReturnType<typeof patchesSearch>

/** Machines of a job that are shown: those in one state, or of one group of equal output. */
export const jobSearch = fields({
  state: oneOf(JOB_AGENT_STATES),
  group: text,
})
export type JobSearch = ReturnType<typeof jobSearch>

/** The only client on the overview. */
export const overviewSearch = fields({ client: matching(/^[1-9]\d{0,8}$/) })

/** The selected line of the policy overview. */
export const policyOverviewSearch = fields({ at: text })

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
