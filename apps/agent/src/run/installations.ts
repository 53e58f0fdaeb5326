import { readFileSync } from 'node:fs'
import type { InstallOrder, InstallRequest } from '../cli/install-order.ts'
import { type Server, serverOf } from '../link/server-trust.ts'
import { planSurroundings } from './environment.ts'
import type { PreparedRun, RunContext } from './prepare-run.ts'
import { RunError } from '../errors.ts'
import { writeScriptFile } from './script-file.ts'

/** The file where the installing process writes its error, beside its order. */
export const WHY_SUFFIX = '.why'

export interface InstallingOptions {
  context: RunContext
  /** The server that package files are downloaded from. */
  server: Server
  /** Command line that starts this agent. */
  program: readonly string[]
  /** Called when the installed software may have changed. */
  onEnd: () => void
}

/** Installs packages and patches, one request at a time, and pushes files, which change no software. */
export class Installing {
  #options: InstallingOptions
  #isBusy = false

  constructor(options: InstallingOptions) {
    this.#options = options
  }

  /** Prepares the installation in a child process. Throws RunError while another one is running. */
  async prepare(order: InstallRequest): Promise<PreparedRun> {
    const { context, server, program, onEnd } = this.#options
    const isInstallation = order.kind !== 'push'
    if (isInstallation && this.#isBusy)
      throw new RunError('Another installation is running on this machine. Wait until it has finished.')
    const [node = process.execPath, ...args] = program
    if (isInstallation) this.#isBusy = true
    try {
      const surroundings = await planSurroundings({ env_vars: [], run_as_user: null }, context.os)
      const file = writeScriptFile({
        dataFolder: context.dataFolder,
        name: 'order.json',
        body: JSON.stringify({ order, server: serverOf(server) } satisfies InstallOrder),
        user: undefined,
      })
      return {
        plan: { ...surroundings, program: node, args: [...args, 'install-order', '--order', file.path] },
        why: () => readIfThere(`${file.path}${WHY_SUFFIX}`),
        [Symbol.dispose]: () => {
          file[Symbol.dispose]()
          if (!isInstallation) return
          this.#isBusy = false
          onEnd()
        },
      }
    } catch (cause) {
      if (isInstallation) this.#isBusy = false
      throw cause
    }
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch {
    // It exists only after an error.
    return undefined
  }
}
