import type { ToolName } from '@muster/contract/channels'

type Named = ToolName | 'registry' | 'web terminal'

const WORDS: Partial<Record<Named, string>> = { logfile: 'log file' }

/** As a sentence names a tool that one knows: `the terminal`, `VNC`. */
export function theTool(tool: Named): string {
  return tool === 'vnc' ? 'VNC' : `the ${WORDS[tool] ?? tool}`
}

/** One of them: `a terminal`, `VNC`, `the registry`. */
export function aTool(tool: Named): string {
  return tool === 'vnc' || tool === 'registry' ? theTool(tool) : `a ${WORDS[tool] ?? tool}`
}
