import { setPriority } from 'node:os'
import { makePatchReport } from '../collectors/patch-report.ts'
import { Unmeasurable } from '../checks/unmeasurable.ts'
import { os } from '../os/index.ts'

const LOWEST = 19

/** `patches` and `patches-now`: what the agent starts to see what may be installed; prints a summary and a report. */
export async function printPatches(refresh: 'now' | 'when old'): Promise<void> {
  setPriority(LOWEST)
  const tools = await os.loadPatchTools()
  const { report, needsReboot } = await look()
  process.stdout.write(`${JSON.stringify({ needsReboot })}\n${JSON.stringify(report)}`)

  async function look() {
    try {
      const { patches, problem, needsReboot } = await tools.scan({
        refresh,
        signal: new AbortController().signal,
      })
      return { report: makePatchReport(patches, problem), needsReboot: needsReboot ?? null }
    } catch (cause) {
      if (!(cause instanceof Unmeasurable)) throw cause
      return { report: makePatchReport(null, cause.message), needsReboot: null }
    }
  }
}
