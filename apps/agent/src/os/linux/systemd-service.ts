import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createHash } from 'node:crypto'
import { CliError } from '../../errors.ts'
import { describeError } from '../../log/log.ts'
import { startDetachedProcess } from '../unsupported.ts'
import type { Service } from '../os.ts'
import { withStartUmask } from '../umask.ts'

export const STANDARD_FOLDER = '/var/lib/muster-agent'

/** Each data folder has its own service. */
export function unitName(folder: string): string {
  if (folder === STANDARD_FOLDER) return 'muster-agent.service'
  return `muster-agent-${createHash('sha256').update(folder).digest('hex').slice(0, 8)}.service`
}

/** The unit file. deploy/systemd/muster-agent.service is this text for the default paths. */
export function unitText(options: { folder: string; program: string[] }): string {
  const command = [...options.program, 'run', '--data', options.folder].map(quote).join(' ')
  return `[Unit]
Description=Muster agent
After=network.target
StartLimitIntervalSec=0

[Service]
ExecStart=${command}
# The agent ends its runs and says so to the server; what is still there after that is killed.
KillMode=mixed
TimeoutStopSec=15
Restart=always
RestartSec=2
# A script that takes all memory is killed alone.
OOMPolicy=continue
TasksMax=infinity

[Install]
WantedBy=multi-user.target
`
}

/** systemd splits at spaces and expands % and $. */
function quote(text: string): string {
  const safe = text.replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /^[\w@%+=:,./-]+$/.test(safe) ? safe : `"${safe.replaceAll(/["\\]/g, '\\$&')}"`
}

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
  placeForBoot({ folder, program }) {
    if (hasSystemd()) return undefined
    const name = unitName(folder)
    const [file, link] = [join(UNIT_FOLDER, name), linkOf(name)]
    withStartUmask(() => {
      mkdirSync(dirname(link), { recursive: true })
      writeFileSync(file, unitText({ folder, program }))
      // As "systemctl enable" creates it.
      rmSync(link, { force: true })
      symlinkSync(file, link)
    })
    return `systemd is not running. The service ${name} is enabled and starts when systemd does. Without systemd, start the agent with your own service manager: muster-agent run`
  },
  async uninstall(folder) {
    const name = unitName(folder)
    const file = join(UNIT_FOLDER, name)
    if (!existsSync(file)) return 'There was no service to remove.'
    try {
      if (hasSystemd()) await run('systemctl', ['disable', '--now', name])
      for (const path of [file, linkOf(name)]) rmSync(path, { force: true })
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

const linkOf = (name: string) => join(UNIT_FOLDER, 'multi-user.target.wants', name)

function hasSystemd(): boolean {
  return existsSync('/run/systemd/system')
}

function requireSystemd(): void {
  if (!hasSystemd()) throw new CliError('systemd is not running. Start "run" with your own service manager')
  if (process.getuid?.() !== 0) throw new CliError('only root can install a service')
}
