import { execFile } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CliError } from '../../cli/cli-error.ts'
import { describeError } from '../../log/log.ts'
import { startDetachedProcess } from '../no-service.ts'
import type { Service } from '../os.ts'
import { withStartUmask } from '../umask.ts'
import { unitName, unitText } from './systemd-unit.ts'

const run = promisify(execFile)
const UNIT_FOLDER = '/etc/systemd/system'

export const systemdService: Service = {
  async install({ folder, program }) {
    requireSystemd()
    const name = unitName(folder)
    try {
      withStartUmask(() => writeFileSync(join(UNIT_FOLDER, name), unitText({ folder, program })))
      await run('systemctl', ['daemon-reload'])
      await run('systemctl', ['enable', name])
      // Starts the service, or restarts it after a repeated installation.
      await run('systemctl', ['restart', name])
    } catch (cause) {
      throw new CliError(`failed to install the service ${name}`, { cause: describeError(cause) })
    }
    return `The service ${name} is running.`
  },
  async uninstall(folder) {
    const name = unitName(folder)
    const file = join(UNIT_FOLDER, name)
    if (!existsSync(file)) return 'There was no service to remove.'
    try {
      if (hasSystemd()) await run('systemctl', ['disable', '--now', name])
      rmSync(file, { force: true })
      if (hasSystemd()) await run('systemctl', ['daemon-reload'])
    } catch (cause) {
      throw new CliError(`failed to remove the service ${name}`, { cause: describeError(cause) })
    }
    return `The service ${name} was stopped and removed.`
  },
  async startDetached(program) {
    // A child of a service ends with it. A transient unit does not.
    if (hasSystemd() && process.env.INVOCATION_ID !== undefined) {
      await run('systemd-run', ['--collect', '--quiet', '--', ...program])
    } else {
      startDetachedProcess(program)
    }
  },
}

function hasSystemd(): boolean {
  return existsSync('/run/systemd/system')
}

function requireSystemd(): void {
  if (!hasSystemd()) throw new CliError('systemd is not running. Start "run" with your own service manager')
  if (process.getuid?.() !== 0) throw new CliError('only root can install a service')
}
