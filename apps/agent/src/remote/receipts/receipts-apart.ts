import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { SessionReceipt } from '@muster/contract/agent/receipts'
import type { MadeReceipt } from './make-receipt.ts'

const run = promisify(execFile)
const PATIENCE_MS = 60_000
const Made = SessionReceipt.omit({ interrupted: true })

/** Takes and compares snapshots. `file` holds the snapshot at the start of the session. */
export interface ReceiptMaker {
  begin: (file: string, signal: AbortSignal) => Promise<void>
  end: (file: string, signal: AbortSignal) => Promise<MadeReceipt>
}

/**
 * Runs in a child process with the lowest priority. `program` is the agent's own command line. Thousands of packages
 * and files never become objects in the long-running process.
 */
export function makeReceiptsApart([program = '', ...args]: string[]): ReceiptMaker {
  const start = async (command: string, file: string, signal: AbortSignal) => {
    const options = { signal, timeout: PATIENCE_MS, killSignal: 'SIGKILL', windowsHide: true } as const
    const { stdout } = await run(program, [...args, command, '--file', file], {
      ...options,
      maxBuffer: 8 * 1024 * 1024,
    })
    return stdout
  }
  return {
    begin: async (file, signal) => void (await start('snapshot', file, signal)),
    end: async (file, signal) => Made.parse(JSON.parse(await start('receipt', file, signal))),
  }
}
