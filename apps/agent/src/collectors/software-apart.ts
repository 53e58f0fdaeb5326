import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { InventoryHash, MOST_PACKAGES } from '@muster/contract/agent/software'
import { z } from 'zod'
import { Unmeasurable } from '../checks/unmeasurable.ts'

const run = promisify(execFile)
/** Less than a server waits for its answer. */
const PATIENCE_MS = 38_000
const ErrorOutput = z.object({ stderr: z.string() })

export const SoftwareSummary = z.object({ hash: InventoryHash, count: z.int().min(0).max(MOST_PACKAGES) })
export type SoftwareSummary = z.infer<typeof SoftwareSummary>

/** How to read the software: a summary, and the report as text, which is whole or only says that it was looked at. */
export type ReadSoftware = (
  much: 'all' | 'hash',
  signal: AbortSignal,
) => Promise<{ summary: SoftwareSummary; report: string }>

/**
 * Reads it in a process of its own: `program` is the agent's own command line. The report is made and checked there,
 * so that thousands of packages never become objects in a process that runs for months.
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
