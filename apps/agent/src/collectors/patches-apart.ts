import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { z } from 'zod'
import { withStartUmask } from '../os/umask.ts'

const run = promisify(execFile)
/** More than any system may take. */
const PATIENCE_MS = 15 * 60_000
const Summary = z.object({ needsReboot: z.boolean().nullable() })

export interface PatchLook extends z.infer<typeof Summary> {
  /** As text, made and checked by the process that looked. */
  report: string
}

/** How to look for patches; `refresh` as `PatchTools.scan` has it. */
export type ReadPatches = (refresh: 'now' | 'when old', signal: AbortSignal) => Promise<PatchLook>

/** Looks in a process of its own: `program` is the agent's own command line. */
export function readPatchesApart([program = '', ...args]: string[]): ReadPatches {
  return async (refresh, signal) => {
    const command = refresh === 'now' ? 'patches-now' : 'patches'
    const options = {
      signal,
      timeout: PATIENCE_MS,
      // It ends the programs that it has started, and itself.
      killSignal: 'SIGTERM',
      windowsHide: true,
      maxBuffer: 8 * 1024 * 1024,
    } as const
    const { stdout } = await withStartUmask(() => run(program, [...args, command], options))
    const end = stdout.indexOf('\n')
    return { ...Summary.parse(JSON.parse(stdout.slice(0, end))), report: stdout.slice(end + 1) }
  }
}
