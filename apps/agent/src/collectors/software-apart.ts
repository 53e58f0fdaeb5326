import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { InventoryHash, MOST_PACKAGES } from '@muster/contract/agent/software'
import { z } from 'zod'
import { Unmeasurable } from '../checks/unmeasurable.ts'

const run = promisify(execFile)
/** Shorter than the server's timeout for a reply. */
const PATIENCE_MS = 38_000
const ErrorOutput = z.object({ stderr: z.string() })

export const SoftwareSummary = z.object({ hash: InventoryHash, count: z.int().min(0).max(MOST_PACKAGES) })
export type SoftwareSummary = z.infer<typeof SoftwareSummary>

/** Reads the installed software: a summary, and a report as text, either complete or only the hash. */
export type ReadSoftware = (
  much: 'all' | 'hash',
  signal: AbortSignal,
) => Promise<{ summary: SoftwareSummary; report: string }>

/**
 * Reads in a child process. `program` is the agent's own command line. The report is created and checked there, so
 * that thousands of packages never become objects in the long-running process.
 */
export function readSoftwareApart([program = '', ...args]: string[]): ReadSoftware {
  return async (much, signal) => {
    const command = much === 'all' ? 'software' : 'software-hash'
    const options = { signal, timeout: PATIENCE_MS, killSignal: 'SIGKILL', windowsHide: true } as const
    try {
      const { stdout } = await run(program, [...args, command], { ...options, maxBuffer: 8 * 1024 * 1024 })
      const end = stdout.indexOf('\n')
      return {
        summary: SoftwareSummary.parse(JSON.parse(stdout.slice(0, end))),
        report: stdout.slice(end + 1),
      }
    } catch (cause) {
      const said = ErrorOutput.safeParse(cause).data?.stderr.trim() ?? ''
      if (signal.aborted || said === '') throw cause
      throw new Unmeasurable(said.split('\n', 1)[0]?.replace(/^muster-agent: (\w*Error: )?/, '') ?? said)
    }
  }
}
