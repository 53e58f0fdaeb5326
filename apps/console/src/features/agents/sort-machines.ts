import type { AgentRow } from '@muster/contract/api/agents'
import type { AgentValueName } from '@muster/contract/api/agent-values'
import { statusRank, toPresence } from '@muster/rules/agents/agent-status'
import { freePercent } from '@muster/rules/agents/disk-shares'
import { worstRank } from '@muster/rules/agents/worst-first'
import { checksSortKey } from '@muster/rules/checks/check-freshness'
import { toSortKey } from '@muster/rules/search/tree-order'
import { OVERDUE_ALERTS, isNotified } from './overdue-alerts.ts'

type Key = string | number

/** Sort key of each column, and of the default order. */
const KEYS = {
  worst: worstRank,
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
  tags: (row) => toSortKey(row.tags.join(' ')),
  operating_system: (row) => toSortKey(row.operating_system),
  public_ip: (row) => toSortKey(row.public_ip),
  local_ips: (row) => toSortKey(row.local_ips),
  cpu_model: (row) => toSortKey(row.cpu_model.join(' ')),
  graphics: (row) => toSortKey(row.graphics),
  make_model: (row) => toSortKey(row.make_model),
  physical_disks: (row) => toSortKey(row.physical_disks.join(' ')),
  serial_number: (row) => toSortKey(row.serial_number),
  goarch: (row) => row.goarch,
  ram: (row) => row.ram_bytes,
  // The fullest volume first; machines without a volume last.
  disk_free: (row) => leastFreePercent(row) ?? 101,
} as const satisfies Record<string, (row: AgentRow) => Key>

/** Columns whose values are measured, and no fields of rows. */
const METRIC_COLUMNS = ['cpu', 'memory'] as const
/** `value_swap` shows a value that the server lists apart from rows, see value-columns.tsx. */
const VALUE_COLUMN = /^value_([a-z_]{1,30})$/
/** Columns whose values are no fields of rows. */
export type MetricColumn = (typeof METRIC_COLUMNS)[number] | `value_${AgentValueName}`

/** Values that are no fields of rows, by agent_id and column. */
export type MachineMetrics = ReadonlyMap<
  string,
  Readonly<Partial<Record<MetricColumn, string | number | null>>>
>

export const NO_METRICS: MachineMetrics = new Map()

/** A column with a fixed name, or a custom field by its id. */
export type MachineColumn = Exclude<keyof typeof KEYS, 'worst'> | MetricColumn | `field_${number}`
export interface MachineSort {
  /** `worst`: overdue, failing, warning, offline, then by name. */
  column: MachineColumn | 'worst'
  descending: boolean
}

const DEFAULT_SORT: MachineSort = { column: 'worst', descending: false }

/** `-hostname` of the address; an unknown column means the default order. */
export function parseSort(text: string | undefined): MachineSort {
  const descending = text?.startsWith('-') === true
  const column = descending ? text.slice(1) : text
  return isColumn(column) && column !== DEFAULT_SORT.column ? { column, descending } : DEFAULT_SORT
}

/** The order after a click on the title of a column: upwards, downwards, then the default order again. */
export function toggleSort(sort: MachineSort, column: string): MachineSort {
  if (column !== sort.column) return parseSort(column)
  return sort.descending ? DEFAULT_SORT : parseSort(`-${column}`)
}

/** The order in the address; the default order is left out. */
export function formatSort({ column, descending }: MachineSort): string | undefined {
  if (column === DEFAULT_SORT.column) return undefined
  return `${descending ? '-' : ''}${column}`
}

/** All rows in order. Keys are computed once per row: computing them per comparison takes ten times as long. */
export function sortMachines(rows: readonly AgentRow[], sort: MachineSort, metrics = NO_METRICS): AgentRow[] {
  const keyOf = keyFunction(sort.column, metrics)
  const keys = rows.map(keyOf)
  // In the default order most machines are equal, and their names decide.
  const names = rows.map(({ hostname }) => toSortKey(hostname))
  const sign = sort.descending ? -1 : 1
  const order = Array.from(rows.keys())
  order.sort(
    (a, b) =>
      // All are indexes of rows, keys and names.
      compareKeys(keys[a]!, keys[b]!) * sign ||
      compareKeys(names[a]!, names[b]!) ||
      compareKeys(rows[a]!.agent_id, rows[b]!.agent_id),
  )
  return order.map((index) => rows[index]!)
}

/** Above this share of changed rows, sorting again is as fast. */
const FEW = 0.05

/**
 * The order after some rows were replaced: each is found by its old self and moved to its new position. The metrics are
 * those of the order.
 */
export function resortMachines(
  sorted: readonly AgentRow[],
  replaced: ReadonlyMap<AgentRow, AgentRow>,
  sort: MachineSort,
  metrics = NO_METRICS,
): readonly AgentRow[] {
  if (replaced.size === 0) return sorted
  if (replaced.size > sorted.length * FEW + 8) {
    return sortMachines(
      sorted.map((row) => replaced.get(row) ?? row),
      sort,
      metrics,
    )
  }
  const compare = compareMachines(sort, metrics)
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

function compareMachines(sort: MachineSort, metrics: MachineMetrics): (a: AgentRow, b: AgentRow) => number {
  const keyOf = keyFunction(sort.column, metrics)
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

/** Free space of the fullest volume, in percent; undefined = no volumes are known. */
export function leastFreePercent({ disks }: AgentRow): number | undefined {
  const shares = disks.filter(({ total }) => total > 0).map(freePercent)
  return shares.length === 0 ? undefined : Math.min(...shares)
}

function keyFunction(column: MachineSort['column'], metrics: MachineMetrics): (row: AgentRow) => Key {
  if (isMetric(column)) {
    const isText = metrics.values().some((values) => typeof values[column] === 'string')
    return ({ agent_id }) => {
      // Machines without a value are below those with 0 %.
      const value = metrics.get(agent_id)?.[column] ?? (isText ? '' : -1)
      return typeof value === 'string' ? toSortKey(value) : value
    }
  }
  const field = fieldOf(column)
  if (field !== undefined) return (row) => toSortKey(fieldText(row, field))
  // Every other column has a key.
  return KEYS[column as keyof typeof KEYS]
}

/** Id of the custom field that a column shows. */
export function fieldOf(column: string): number | undefined {
  const [, id] = /^field_(\d{1,9})$/.exec(column) ?? []
  return id === undefined ? undefined : Number(id)
}

/** The value of a custom field as text; empty = none. */
export function fieldText(row: AgentRow, field: number): string {
  const value = row.custom_fields.find((one) => one.field === field)?.value
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return Array.isArray(value) ? value.join(', ') : `${value ?? ''}`
}

function isColumn(text: string | undefined): text is MachineSort['column'] {
  return text !== undefined && (Object.hasOwn(KEYS, text) || isMetric(text) || fieldOf(text) !== undefined)
}

export function isMetric(column: string): column is MetricColumn {
  return METRIC_COLUMNS.some((known) => known === column) || valueOf(column) !== undefined
}

/** The value of the server that a column shows. */
export function valueOf(column: string): string | undefined {
  return VALUE_COLUMN.exec(column)?.[1]
}
