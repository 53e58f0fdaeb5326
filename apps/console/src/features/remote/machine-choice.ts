import type { AgentRow } from '@muster/contract/api/agents'
import { searchMachines } from '../agents/search-machines.ts'
import { MOST_MACHINES } from './side-by-side.ts'

/** More are found by searching. */
const MOST_SHOWN = 200

export interface Choice {
  /** The machines that fit the search, those that were asked for first, then what is connected, by name. */
  shown: readonly AgentRow[]
  /** How many more fit. */
  more: number
  /** Machines that are chosen and can be opened. */
  chosen: readonly string[]
  /** What `all` would choose; undefined where that is too many, or nothing more. */
  all: readonly string[] | undefined
}

/** What can be chosen of these machines, and what is. */
export function choiceOf(
  machines: readonly AgentRow[],
  { search, first, chosen: wanted }: { search: string; first: readonly string[]; chosen: readonly string[] },
): Choice {
  const connected = new Set(machines.filter((row) => row.connected).map(({ agent_id }) => agent_id))
  const chosen = wanted.filter((id) => connected.has(id))
  const rankOf = ({ agent_id, connected: isThere }: AgentRow) =>
    first.includes(agent_id) ? 0 : isThere ? 1 : 2
  const fitting = searchMachines(machines, search, Date.now()).toSorted(
    (one, other) => rankOf(one) - rankOf(other) || one.hostname.localeCompare(other.hostname),
  )
  const reachable = fitting.map(({ agent_id }) => agent_id).filter((id) => connected.has(id))
  const all = [...new Set([...chosen, ...reachable])]
  return {
    shown: fitting.slice(0, MOST_SHOWN),
    more: Math.max(0, fitting.length - MOST_SHOWN),
    chosen,
    all: reachable.length < 2 || all.length > MOST_MACHINES ? undefined : all,
  }
}
