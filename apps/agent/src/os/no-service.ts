import { spawn } from 'node:child_process'
import { CliError } from '../cli/cli-error.ts'
import type { Service } from './os.ts'
import { withStartUmask } from './umask.ts'

/** For systems whose service manager the agent does not know yet. */
export const noService: Service = {
  async install() {
    throw new CliError(
      'a service is made on Linux with systemd only so far: have "run" started by your service manager',
    )
  },
  uninstall: async () => 'There was no service to remove.',
  async startDetached(program) {
    startDetachedProcess(program)
  },
}

/** Starts a program that lives on when this one ends. */
export function startDetachedProcess([program = '', ...args]: string[]): void {
  withStartUmask(() => spawn(program, args, { detached: true, stdio: 'ignore', windowsHide: true })).unref()
}
