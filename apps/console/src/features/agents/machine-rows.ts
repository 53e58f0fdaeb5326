import type { AgentRow } from '@muster/contract/api/agents'
import type { AgentsFrame } from '../../app/live/live.ts'
import { agentStatus, nextStatusChangeAt } from '@muster/rules/agents/agent-status'

/**
 * Rows of the machine table as they change. A list is never changed in place, but an unchanged row stays the same object,
 * so that everything derived from it (search text, sort position, table line) stays valid.
 */

/** Lists that differ from another list by replaced rows only. */
interface Origin {
  from: readonly AgentRow[]
  replaced: ReadonlyMap<AgentRow, AgentRow>
}
const origins = new WeakMap<readonly AgentRow[], Origin>()
const indexes = new WeakMap<readonly AgentRow[], ReadonlyMap<string, number>>()

/** Rows that were replaced to make `rows` from `from`; undefined after any other change. */
export function replacedSince(
  rows: readonly AgentRow[],
  from: readonly AgentRow[],
): ReadonlyMap<AgentRow, AgentRow> | undefined {
  if (rows === from) return new Map()
  const origin = origins.get(rows)
  return origin?.from === from ? origin.replaced : undefined
}

/** The list after a frame of changes. New machines are not in a frame: they are fetched. */
export function applyFrame(rows: readonly AgentRow[], frame: AgentsFrame): readonly AgentRow[] {
  return dropRows(patchRows(rows, changesOf(frame)), frame.removed)
}

// Fields of the machine's own row; the server of this console is trusted with their shape.
export const changesOf = (frame: AgentsFrame) => frame.changed as (Partial<AgentRow> & { agent_id: string })[]

/** The list with these machines' changed fields; the same list if it contains none of them. */
export function patchRows(
  rows: readonly AgentRow[],
  changes: readonly (Partial<AgentRow> & { agent_id: string })[],
): readonly AgentRow[] {
  const index = indexOf(rows)
  const replaced = new Map<AgentRow, AgentRow>()
  let next: AgentRow[] | undefined
  for (const change of changes) {
    const at = index.get(change.agent_id)
    const row = at === undefined ? undefined : (next ?? rows)[at]
    if (at === undefined || row === undefined || !differs(row, change)) continue
    next ??= [...rows]
    const after = { ...row, ...change }
    next[at] = after
    replaced.set(rows[at] ?? row, after)
  }
  return next === undefined ? rows : keepOrigin(next, { from: rows, replaced })
}

/** The list without these machines. */
export function dropRows(rows: readonly AgentRow[], agentIds: readonly string[]): readonly AgentRow[] {
  const index = indexOf(rows)
  if (!agentIds.some((id) => index.has(id))) return rows
  const gone = new Set(agentIds)
  return rows.filter((row) => !gone.has(row.agent_id))
}

/** A fetched list that reuses unchanged rows of the list before it. */
export function shareRows(before: readonly AgentRow[] | undefined, fetched: AgentRow[]): readonly AgentRow[] {
  // patchRows has shared them already.
  if (before === undefined || before === fetched || origins.has(fetched)) return fetched
  const index = indexOf(before)
  return fetched.map((row) => {
    const known = before[index.get(row.agent_id) ?? -1]
    return known !== undefined && isSameRow(known, row) ? known : row
  })
}

/** Changes by time alone: disconnected machines that count as offline or overdue by now. */
export function ageRows(rows: readonly AgentRow[], nowMs: number): readonly AgentRow[] {
  const changes = rows.flatMap((row) => {
    if (!canAge(row)) return []
    const status = agentStatus(row, nowMs)
    return status === row.status ? [] : [{ agent_id: row.agent_id, status }]
  })
  return changes.length === 0 ? rows : patchRows(rows, changes)
}

/** Time at which `ageRows` changes a row next; undefined = never. */
export function nextAgeingAt(rows: readonly AgentRow[], nowMs: number): number | undefined {
  let soonest: number | undefined
  for (const row of rows) {
    const atMs = canAge(row) ? nextStatusChangeAt(row, nowMs) : undefined
    if (atMs !== undefined && (soonest === undefined || atMs < soonest)) soonest = atMs
  }
  return soonest
}

// Overdue machines do not change, connected ones do not age; this shortens the walk through all rows.
function canAge({ connected, status }: AgentRow): boolean {
  return !connected && status !== 'overdue'
}

function keepOrigin(rows: AgentRow[], origin: Origin): readonly AgentRow[] {
  origins.set(rows, origin)
  const index = indexes.get(origin.from)
  // Replacing rows moves none.
  if (index) indexes.set(rows, index)
  return rows
}

function indexOf(rows: readonly AgentRow[]): ReadonlyMap<string, number> {
  const known = indexes.get(rows)
  if (known) return known
  const index = new Map(rows.map((row, at) => [row.agent_id, at]))
  indexes.set(rows, index)
  return index
}

function isSameRow(before: AgentRow, after: AgentRow): boolean {
  if (before === after) return true
  const fields = Object.entries(after)
  return fields.every(([field, value]) => {
    // A connected machine's value is the moment at which the server read the row.
    if (field === 'last_seen' && before.connected && after.connected) return true
    return isSame(before[field as keyof AgentRow], value) // the field is one of a row
  })
}

function differs(row: AgentRow, change: Partial<AgentRow>): boolean {
  return Object.entries(change).some(
    ([field, value]) => !isSame(row[field as keyof AgentRow], value), // the field is one of a row
  )
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) && Array.isArray(b) && a.length === 0 && b.length === 0) return true
  return JSON.stringify(a) === JSON.stringify(b)
}
