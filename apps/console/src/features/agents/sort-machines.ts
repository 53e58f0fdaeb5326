import type { AgentRow } from '@muster/contract/api/agents'
import { statusRank, toPresence } from '@muster/rules/agents/agent-status'
import { checksSortKey } from '@muster/rules/checks/check-freshness'
import { toSortKey } from '@muster/rules/search/tree-order'
import { OVERDUE_ALERTS, isNotified } from './overdue-alerts.ts'

type Key = string | number

/** Sort key of each sortable column. */
const KEYS = {
  status: (row) => (row.maintenance_mode ? 10 : 0) + statusRank(toPresence(row.status, row.connected)),
  plat: (row) => row.plat,
  type: (row) => row.monitoring_type,
  // Failing first in descending order.
  checks: ({ checks }) => checksSortKey(checks),
  client: (row) => toSortKey(row.client_name),
  site: (row) => toSortKey(row.site_name),
  hostname: (row) => toSortKey(row.hostname),
  description: (row) => toSortKey(row.description),
  user: (row) => toSortKey(row.logged_username),
  patches: (row) => Number(row.has_patches_pending),
  pending: (row) => row.pending_actions_count,
  reboot: (row) => Number(row.needs_reboot),
  overdue: (row) => OVERDUE_ALERTS.filter((alert) => isNotified(alert, row)).length,
  version: (row) => toSortKey(row.version),
  // ISO texts in UTC sort by time; a connected machine counts as now.
  last_response: (row) => (row.connected ? '9' : (row.last_seen ?? '')),
  boot_time: (row) => row.boot_time ?? 0,
} as const satisfies Record<string, (row: AgentRow) => Key>

export type MachineColumn = keyof typeof KEYS
export interface MachineSort {
  column: MachineColumn
  descending: boolean
}

const DEFAULT_SORT: MachineSort = { column: 'hostname', descending: false }

/** `-hostname` of the address; an unknown column means the default order. */
export function parseSort(text: string | undefined): MachineSort {
  const descending = text?.startsWith('-') === true
  const column = descending ? text.slice(1) : text
  return isColumn(column) ? { column, descending } : DEFAULT_SORT
}

/** The order in the address; the default order is left out. */
export function formatSort({ column, descending }: MachineSort): string | undefined {
  if (column === DEFAULT_SORT.column && !descending) return undefined
  return `${descending ? '-' : ''}${column}`
}

/** All rows in order. Keys are computed once per row: computing them per comparison takes ten times as long. */
export function sortMachines(rows: readonly AgentRow[], sort: MachineSort): AgentRow[] {
  const keyOf: (row: AgentRow) => Key = KEYS[sort.column]
  const keys = rows.map(keyOf)
  const sign = sort.descending ? -1 : 1
  const order = Array.from(rows.keys())
  order.sort((a, b) => {
    // Both are indexes of rows and keys.
    const first = compareKeys(keys[a]!, keys[b]!) * sign
    return first === 0 ? compareTie(rows[a]!, rows[b]!) : first
  })
  return order.map((index) => rows[index]!)
}

/** Above this share of changed rows, sorting again is as fast. */
const FEW = 0.05

/** The order after some rows were replaced: each is found by its old self and moved to its new position. */
export function resortMachines(
  sorted: readonly AgentRow[],
  replaced: ReadonlyMap<AgentRow, AgentRow>,
  sort: MachineSort,
): readonly AgentRow[] {
  if (replaced.size === 0) return sorted
  if (replaced.size > sorted.length * FEW + 8) {
    return sortMachines(
      sorted.map((row) => replaced.get(row) ?? row),
      sort,
    )
  }
  const compare = compareMachines(sort)
  const rows = [...sorted]
  const moved: AgentRow[] = []
  for (const [before, after] of replaced) {
    const at = findIndex(rows, before, compare)
    if (rows[at] !== before) continue
    if (compare(before, after) === 0) rows[at] = after
    else {
      rows.splice(at, 1)
      moved.push(after)
    }
  }
  for (const row of moved) rows.splice(findIndex(rows, row, compare), 0, row)
  return rows
}

function compareMachines(sort: MachineSort): (a: AgentRow, b: AgentRow) => number {
  const keyOf: (row: AgentRow) => Key = KEYS[sort.column]
  const sign = sort.descending ? -1 : 1
  return (a, b) => compareKeys(keyOf(a), keyOf(b)) * sign || compareTie(a, b)
}

function compareKeys(a: Key, b: Key): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

// Equal rows keep a fixed order: by name, then by id.
function compareTie(a: AgentRow, b: AgentRow): number {
  return compareKeys(toSortKey(a.hostname), toSortKey(b.hostname)) || compareKeys(a.agent_id, b.agent_id)
}

/** Index of the first row that does not come before this one. */
function findIndex(
  rows: readonly AgentRow[],
  row: AgentRow,
  compare: (a: AgentRow, b: AgentRow) => number,
): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compare(rows[middle]!, row) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function isColumn(text: string | undefined): text is MachineColumn {
  return text !== undefined && Object.hasOwn(KEYS, text)
}
