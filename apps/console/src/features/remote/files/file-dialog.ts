import type { FileEntry } from '@muster/contract/agent/files'
import type { AgentDetail } from '@muster/contract/api/agents'

/** What every dialog about a file is told. `folder` is a path without links. */
export interface FileDialogProps {
  agent: Pick<AgentDetail, 'agent_id' | 'hostname'>
  folder: string
  entry: FileEntry
  onClose: () => void
}
