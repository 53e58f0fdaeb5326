import { Button } from '@mantine/core'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { EmptyState } from '../../ui/layout/States.tsx'
import { useNodeName, useSelectedNode } from '../dashboard/use-node.ts'

interface NoMachinesProps {
  /** Machines of the tab and node, before the search. */
  total: number
  text: string
  tab: 'server' | 'workstation' | 'mixed'
  onClearSearch: () => void
  onShowAll: () => void
}

/** The table without rows says why, and what changes it. */
export function NoMachines({ total, text, tab, onClearSearch, onShowAll }: NoMachinesProps) {
  const mayInstall = useMay('can_install_agents')
  const node = useSelectedNode()
  const where = useNodeName(node)
  const { open } = useDialog()
  if (total > 0) {
    return (
      <EmptyState message={`None of ${total} machines fits “${text.trim()}”.`}>
        <Button variant="default" onClick={onClearSearch}>
          Clear search
        </Button>
      </EmptyState>
    )
  }
  const place = where === undefined ? '' : ` in ${where}`
  if (tab !== 'mixed') {
    return (
      <EmptyState message={`There are no ${tab}s${place}.`}>
        <Button variant="default" onClick={onShowAll}>
          Show all machines
        </Button>
      </EmptyState>
    )
  }
  return (
    <EmptyState
      message={
        mayInstall
          ? `There are no machines${place} yet. Install the agent on the first one.`
          : `There are no machines${place} that you may see.`
      }
    >
      {mayInstall && (
        <Button
          onClick={() => open('install-agent', node === undefined ? undefined : `${node.kind}|${node.id}`)}
        >
          Install agent
        </Button>
      )}
    </EmptyState>
  )
}
