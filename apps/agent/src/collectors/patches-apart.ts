import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { z } from 'zod'
import { withStartUmask } from '../os/umask.ts'

const run = promisify(execFile)
/** Longer than any system needs. */
const PATIENCE_MS = 15 * 60_000
const Summary = z.object({ needsReboot: z.boolean().nullable() })

export interface PatchLook extends z.infer<typeof Summary> {
  /** JSON that the scanning process has already checked. */
  report: string
}

/** Scans for patches. `refresh` as in `PatchTools.scan`. */
export type ReadPatches = (refresh: 'now' | 'when old', signal: AbortSignal) => Promise<PatchLook>

/** Scans in a child process. `program` is the agent's own command line. */
export function readPatchesApart([program = '', ...args]: string[]): ReadPatches {
  return async (refresh, signal) => {
    const command = refresh === 'now' ? 'patches-now' : 'patches'
    const options = {
      signal,
      timeout: PATIENCE_MS,
      // On this signal the child ends the programs that it started, and itself.
      killSignal: 'SIGTERM',
      windowsHide: true,
      maxBuffer: 8 * 1024 * 1024,
    } as const
    const { stdout } = await withStartUmask(() => run(program, [...args, command], options))
    const end = stdout.indexOf('\n')
    return { ...Summary.parse(JSON.parse(stdout.slice(0, end))), report: stdout.slice(end + 1) }
  }
}
