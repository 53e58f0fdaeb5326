import { ContextMenu } from '../../ui/dialog/ContextMenu.tsx'
import type { Point } from '../../ui/dialog/menu-entry.ts'
import type { NodeLine } from './tree-lines.ts'
import { useNodeMenu } from './use-node-menu.ts'

/** The context menu of a client or a site. */
export function NodeMenu({ line, at, onClose }: { line: NodeLine; at: Point; onClose: () => void }) {
  const entries = useNodeMenu(line)
  return <ContextMenu label={`Actions on ${line.label}`} at={at} entries={entries} onClose={onClose} />
}
