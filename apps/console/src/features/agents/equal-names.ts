import type { AgentRow } from '@muster/contract/api/agents'
import { replacedSince } from './machine-rows.ts'

/** Text beside a name that several machines have, by `agent_id`. Machines with a unique name are absent. */
export type EqualNames = ReadonlyMap<string, string>

/** Remembers the last list: most changes touch no name, and the same map spares drawing the rows again. */
export class EqualNamesMemory {
  #last: { rows: readonly AgentRow[]; names: EqualNames } | undefined

  find(rows: readonly AgentRow[]): EqualNames {
    const last = this.#last
    const replaced = last && replacedSince(rows, last.rows)
    const isSame =
      replaced !== undefined && [...replaced].every(([before, after]) => isSameIdentity(before, after))
    const names = last !== undefined && isSame ? last.names : findEqualNames(rows)
    this.#last = { rows, names }
    return names
  }
}

/** The first of client, site, address, serial number and id that differs among the machines of one name. */
export function findEqualNames(rows: readonly AgentRow[]): EqualNames {
  const first = new Map<string, AgentRow>()
  const groups = new Map<string, AgentRow[]>()
  for (const row of rows) {
    const name = row.hostname.toLowerCase()
    const other = first.get(name)
    if (other === undefined) {
      first.set(name, row)
      continue
    }
    const group = groups.get(name)
    if (group) group.push(row)
    else groups.set(name, [other, row])
  }
  const names = new Map<string, string>()
  for (const group of groups.values()) {
    const describe = MARKS.find((mark) => new Set(group.map(mark)).size === group.length) ?? idOf
    for (const row of group) names.set(row.agent_id, describe(row))
  }
  return names
}

const idOf = (row: AgentRow) => row.agent_id.slice(0, 8)
const MARKS = [
  (row: AgentRow) => row.client_name,
  (row: AgentRow) => `${row.client_name} / ${row.site_name}`,
  (row: AgentRow) => row.local_ips.split(',')[0] ?? '',
  (row: AgentRow) => row.serial_number,
]

function isSameIdentity(a: AgentRow, b: AgentRow): boolean {
  return (
    a.hostname === b.hostname &&
    a.client_name === b.client_name &&
    a.site_name === b.site_name &&
    a.local_ips === b.local_ips &&
    a.serial_number === b.serial_number
  )
}
