import { AgentId } from '@muster/contract/fields'
import { stringifySearch } from '../../app/search.ts'

/** Maximum number of terminals in a window. */
export const MAX_MACHINES = 12
/** Separates the machines in the address. */
const BETWEEN = '.'
const WINDOW = 'noopener,popup,width=1100,height=760'

/** The machines of an address; invalid or surplus ones are left out. */
export function readAgents(written: string): string[] {
  const ids = written.split(BETWEEN).filter((id) => AgentId.safeParse(id).success)
  return [...new Set(ids)].slice(0, MAX_MACHINES)
}

/** Undefined = no machine. */
export function writeAgents(ids: readonly string[]): string | undefined {
  return ids.length === 0 ? undefined : ids.join(BETWEEN)
}

/** Opens the terminals of these machines in a separate window. */
export function openSideBySide(ids: readonly string[]): void {
  window.open(`/terminals?agents=${ids.join(BETWEEN)}`, '_blank', WINDOW)
}

/** Opens the tools of a machine in a separate window, for example `?tool=files&at=/srv`. */
export function openRemoteBackground(agentId: string, search: Record<string, string> = {}): void {
  window.open(`/remotebackground/${agentId}${stringifySearch(search)}`, '_blank', WINDOW)
}

/** Size of a window on a desktop. */
export const TOOL_WINDOW = 'noopener,popup,width=1600,height=900'
