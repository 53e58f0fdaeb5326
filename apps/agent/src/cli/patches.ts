import { setPriority } from 'node:os'
import { makePatchReport } from '../collectors/patch-report.ts'
import { Unmeasurable } from '../checks/unmeasurable.ts'
import { os } from '../os/index.ts'

const LOWEST = 19
const LOOK_EVERY_MS = 1000

/** Runs in the agent's child process. Prints a summary of the available patches and a report. */
export async function printPatches(refresh: 'now' | 'when old'): Promise<void> {
  setPriority(LOWEST)
  const signal = stopWithAgent()
  const tools = await os.loadPatchTools()
  const { report, needsReboot } = await look()
  process.stdout.write(`${JSON.stringify({ needsReboot })}\n${JSON.stringify(report)}`)

  async function look() {
    try {
      const { patches, problem, needsReboot } = await tools.scan({ refresh, signal })
      return { report: makePatchReport(patches, problem), needsReboot: needsReboot ?? null }
    } catch (cause) {
      if (!(cause instanceof Unmeasurable)) throw cause
      return { report: makePatchReport(null, cause.message), needsReboot: null }
    }
  }
}

/** Aborted when the agent asks for it or has exited. The patch tools would continue without the agent otherwise. */
function stopWithAgent(): AbortSignal {
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  const agent = process.ppid
  setInterval(() => {
    if (process.ppid !== agent) stop.abort()
  }, LOOK_EVERY_MS).unref()
  return stop.signal
}
