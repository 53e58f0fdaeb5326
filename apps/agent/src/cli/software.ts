import { setPriority } from 'node:os'
import type { SoftwareReport } from '@muster/contract/agent/software'
import { makeSoftwareReport } from '../collectors/software-report.ts'
import type { SoftwareSummary } from '../collectors/software-apart.ts'
import { os } from '../os/index.ts'
import { CliError } from './cli-error.ts'
import { Unmeasurable } from '../checks/unmeasurable.ts'

const LOWEST = 19

/** Runs in the agent's child process. Prints a summary of the installed software and a report. */
export async function printSoftware(much: 'all' | 'hash'): Promise<void> {
  setPriority(LOWEST)
  const tools = await os.loadSoftwareTools()
  const report = makeSoftwareReport(await list())
  const summary: SoftwareSummary = { hash: report.hash, count: report.inventory.packages.length }
  const told: SoftwareReport = much === 'all' ? report : { ...report, inventory: null }
  process.stdout.write(`${JSON.stringify(summary)}\n${JSON.stringify(told)}`)

  async function list() {
    try {
      return await tools.list(new AbortController().signal)
    } catch (cause) {
      if (cause instanceof Unmeasurable) throw new CliError(cause.message)
      throw cause
    }
  }
}
