import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { InventoryHash, MAX_PACKAGES } from '@muster/contract/agent/software'
import { z } from 'zod'
import { AgentFacts } from '@muster/contract/agent/facts'
import { MeasureError } from '../errors.ts'
import { withStartUmask } from '../os/umask.ts'
import type { Facts } from './facts-reporter.ts'

const FACTS_TIMEOUT_MS = 90_000

/** Reads slow facts in a child process. `program` is the agent's own command line. */
export async function readSlowFactsInChildProcess(
  [program = '', ...args]: string[],
  signal: AbortSignal,
): Promise<Facts> {
  const { stdout } = await run(program, [...args, 'facts'], {
    signal,
    timeout: FACTS_TIMEOUT_MS,
    killSignal: 'SIGKILL',
    windowsHide: true,
    maxBuffer: 4 * 1024 * 1024,
  })
  return AgentFacts.partial().parse(JSON.parse(stdout))
}

/** Longer than any system needs. */
const PATCHES_TIMEOUT_MS = 15 * 60_000
const Summary = z.object({ needsReboot: z.boolean().nullable(), installedHash: z.string() })

export interface PatchScan extends z.infer<typeof Summary> {
  /** JSON that the scanning process has already checked. */
  report: string
  /** The installed patches in the same way; `null` = the system does not say. */
  installed: string
}

/** Scans for patches. `refresh` as in `PatchTools.scan`. */
export type ReadPatches = (refresh: 'now' | 'when old', signal: AbortSignal) => Promise<PatchScan>

/** Scans in a child process. `program` is the agent's own command line. */
export function readPatchesInChildProcess([program = '', ...args]: string[]): ReadPatches {
  return async (refresh, signal) => {
    const command = refresh === 'now' ? 'patches-now' : 'patches'
    const options = {
      signal,
      timeout: PATCHES_TIMEOUT_MS,
      // On this signal the child ends the programs that it started, and itself.
      killSignal: 'SIGTERM',
      windowsHide: true,
      maxBuffer: 8 * 1024 * 1024,
    } as const
    const { stdout } = await withStartUmask(() => run(program, [...args, command], options))
    const [summary = '', report = '', installed = ''] = stdout.split('\n')
    return { ...Summary.parse(JSON.parse(summary)), report, installed }
  }
}

const run = promisify(execFile)
/** Shorter than the server's timeout for a reply. */
const SOFTWARE_TIMEOUT_MS = 38_000
const ErrorOutput = z.object({ stderr: z.string() })

export const SoftwareSummary = z.object({ hash: InventoryHash, count: z.int().min(0).max(MAX_PACKAGES) })
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
export function readSoftwareInChildProcess([program = '', ...args]: string[]): ReadSoftware {
  return async (much, signal) => {
    const command = much === 'all' ? 'software' : 'software-hash'
    const options = {
      signal,
      timeout: SOFTWARE_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
    } as const
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
      throw new MeasureError(said.split('\n', 1)[0]?.replace(/^muster-agent: (\w*Error: )?/, '') ?? said)
    }
  }
}
