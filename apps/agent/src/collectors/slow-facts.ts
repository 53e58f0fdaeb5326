import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { AgentFacts } from '@muster/contract/agent/facts'
import type { Facts } from './changed-facts.ts'

const run = promisify(execFile)
const PATIENCE_MS = 90_000

/** Reads slow facts in a child process. `program` is the agent's own command line. */
export async function readSlowFactsApart(
  [program = '', ...args]: string[],
  signal: AbortSignal,
): Promise<Facts> {
  const { stdout } = await run(program, [...args, 'facts'], {
    signal,
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
    windowsHide: true,
    maxBuffer: 4 * 1024 * 1024,
  })
  return AgentFacts.partial().parse(JSON.parse(stdout))
}
