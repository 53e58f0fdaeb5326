import type { ToolName } from '@muster/contract/channels'

type Named = ToolName | 'registry' | 'web terminal'

const WORDS: Partial<Record<Named, string>> = { logfile: 'log file' }

/** With a definite article: `the terminal`, `VNC`. */
export function theTool(tool: Named): string {
  return tool === 'vnc' ? 'VNC' : `the ${WORDS[tool] ?? tool}`
}

/** With an indefinite article: `a terminal`, `VNC`, `the registry`. */
export function aTool(tool: Named): string {
  return tool === 'vnc' || tool === 'registry' ? theTool(tool) : `a ${WORDS[tool] ?? tool}`
}

/** `3 s`, `4 min 10 s`, `2 h 5 min`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
