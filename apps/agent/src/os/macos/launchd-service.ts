import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CliError } from '../../errors.ts'
import { describeError } from '../../log/log.ts'
import type { Service } from '../os.ts'
import { withStartUmask } from '../umask.ts'
import { startDetachedProcess } from '../unsupported.ts'

const STANDARD_FOLDER = '/Library/Application Support/muster-agent'
const run = promisify(execFile)

/** Runs the agent as a daemon of launchd, whose property lists are in this folder. */
export const makeLaunchdService = (daemons: string): Service => ({
  async install({ folder, program }) {
    if (process.getuid?.() !== 0) throw new CliError('only root can install a service')
    const label = daemonLabel(folder)
    const file = join(daemons, `${label}.plist`)
    try {
      await stopDaemon(label)
      withStartUmask(() => writeFileSync(file, plistText({ folder, program })))
      await run('launchctl', ['bootstrap', 'system', file])
    } catch (cause) {
      throw new CliError(`failed to install the service ${label}`, { cause: describeError(cause) })
    }
    return `The service ${label} is running.`
  },
  async uninstall(folder) {
    const label = daemonLabel(folder)
    const file = join(daemons, `${label}.plist`)
    if (!existsSync(file)) return 'There was no service to remove.'
    await stopDaemon(label)
    for (const path of [file, logFile(label)]) rmSync(path, { force: true })
    return `The service ${label} was stopped and removed.`
  },
  // launchd ends the process group of a daemon. The new process has its own.
  async startDetached(program) {
    startDetachedProcess(program)
  },
})

export const launchdService = makeLaunchdService('/Library/LaunchDaemons')

/** Each data folder has its own daemon. */
export function daemonLabel(folder: string): string {
  if (folder === STANDARD_FOLDER) return 'com.muster.agent'
  return `com.muster.agent-${createHash('sha256').update(folder).digest('hex').slice(0, 8)}`
}

/** Starts with the machine, and again when it ends. Source: launchd.plist(5). */
export function plistText({ folder, program }: { folder: string; program: readonly string[] }): string {
  const label = daemonLabel(folder)
  const words = [...program, 'run', '--data', folder].map(
    (word) => `    <string>${escapeXml(word)}</string>\n`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${label}</string>
  <key>ProgramArguments</key>
  <array>
${words.join('')}  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <true/>
  <key>ThrottleInterval</key>
  <integer>5</integer>
  <key>ExitTimeOut</key>
  <integer>15</integer>
  <key>StandardErrorPath</key>
  <string>${logFile(label)}</string>
</dict>
</plist>
`
}

const logFile = (label: string) => `/var/log/${label}.log`

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Fails if the daemon is not loaded, which is what is wanted. */
async function stopDaemon(label: string): Promise<void> {
  await run('launchctl', ['bootout', `system/${label}`]).catch(() => {})
}
