import { spawn } from 'node:child_process'
import { CliError } from '../errors.ts'
import type { Service } from './os.ts'
import { withStartUmask } from './umask.ts'

/** For systems whose service manager is not supported yet. */
export const noService: Service = {
  async install() {
    throw new CliError(
      'services are supported on Linux with systemd only. Start "run" with your own service manager',
    )
  },
  uninstall: async () => 'There was no service to remove.',
  async startDetached(program) {
    startDetachedProcess(program)
  },
}

/** Starts a program that outlives this process. */
export function startDetachedProcess([program = '', ...args]: string[]): void {
  withStartUmask(() => spawn(program, args, { detached: true, stdio: 'ignore', windowsHide: true })).unref()
}
