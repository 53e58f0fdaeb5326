import { readFileSync } from 'node:fs'
import type { InstallOrder } from '../cli/install-order.ts'
import { planSurroundings } from '../requests/plan-surroundings.ts'
import type { PreparedRun, RunPlace } from './prepare-script.ts'
import { RunRefused } from './run-refused.ts'
import { writeScriptFile } from './script-file.ts'

/** Where the process that installs writes why it could not, beside its order. */
export const WHY_SUFFIX = '.why'

export interface InstallingOptions {
  place: RunPlace
  /** The agent's own command line. */
  program: readonly string[]
  /** Something may be installed that was not, and the other way round. */
  onEnd: () => void
}

/** What this machine installs for people: one thing at a time. */
export class Installing {
  #options: InstallingOptions
  #isBusy = false

  constructor(options: InstallingOptions) {
    this.#options = options
  }

  /** Says how the order is carried out, by a process of its own. Throws RunRefused while another one is. */
  async prepare(order: InstallOrder): Promise<PreparedRun> {
    const { place, program, onEnd } = this.#options
    if (this.#isBusy)
      throw new RunRefused('Something is being installed on this machine already. Wait until that has ended.')
    const [node = process.execPath, ...args] = program
    this.#isBusy = true
    try {
      const surroundings = await planSurroundings({ env_vars: [], run_as_user: null }, place.os)
      const file = writeScriptFile({
        dataFolder: place.dataFolder,
        name: 'order.json',
        body: JSON.stringify(order),
        user: undefined,
      })
      return {
        plan: { ...surroundings, program: node, args: [...args, 'install-order', '--order', file.path] },
        why: () => readIfThere(`${file.path}${WHY_SUFFIX}`),
        [Symbol.dispose]: () => {
          this.#isBusy = false
          file[Symbol.dispose]()
          onEnd()
        },
      }
    } catch (cause) {
      this.#isBusy = false
      throw cause
    }
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch {
    // It is written only where something went wrong.
    return undefined
  }
}
