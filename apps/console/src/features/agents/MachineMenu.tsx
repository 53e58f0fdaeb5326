import type { AgentRow } from '@muster/contract/api/agents'
import { ContextMenu } from '../../ui/dialog/ContextMenu.tsx'
import type { Point } from '../../ui/dialog/menu-entry.ts'
import { useAgentMenu } from './use-agent-menu.ts'

interface MachineMenuProps {
  agent: AgentRow | undefined
  at: Point
  onClose: () => void
}

/** The context menu of a machine in the table. */
export function MachineMenu({ agent, at, onClose }: MachineMenuProps) {
  const entries = useAgentMenu(agent)
  if (agent === undefined) return null
  return <ContextMenu label={`Actions on ${agent.hostname}`} at={at} entries={entries} onClose={onClose} />
}
