import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { findProgram, searchPath } from '../run/find-program.ts'
import { MachineRefused } from './machine-refused.ts'
import { withStartUmask } from './umask.ts'

const MOST_KEPT = 16_000

export interface InstallerEnd {
  code: number | null
  /** The end of what it wrote, to find out what went wrong. */
  said: string
}

/**
 * Runs a program that installs something, to its end; what it writes is passed on as it comes. In English, without
 * questions. `onStatus` hears what it writes to its descriptor 3.
 */
export function runInstaller(
  name: string,
  args: readonly string[],
  { env = {}, onStatus }: { env?: Record<string, string>; onStatus?: (text: string) => void } = {},
): Promise<InstallerEnd> {
  const program = findProgram(name)
  if (program === undefined) throw new MachineRefused(`There is no program ${name} on this machine.`)
  const child = withStartUmask(() =>
    spawn(program, args, {
      env: { ...process.env, PATH: searchPath(), LC_ALL: 'C', LANG: 'C', ...env },
      stdio: ['ignore', 'pipe', 'pipe', onStatus === undefined ? 'ignore' : 'pipe'],
      windowsHide: true,
    }),
  )
  let said = ''
  const listen = (from: Readable | null, to: NodeJS.WriteStream) => {
    if (from === null) return
    from.pipe(to, { end: false })
    from.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-MOST_KEPT)))
  }
  listen(child.stdout, process.stdout)
  listen(child.stderr, process.stderr)
  // The fourth is a pipe when it is asked for, and is read only.
  const status = child.stdio[3] as Readable | null | undefined
  if (onStatus !== undefined) status?.setEncoding('utf8').on('data', onStatus)
  return new Promise((resolve, reject) => {
    child.on('error', (cause) =>
      reject(new MachineRefused(`${name} cannot be started: ${cause.message}.`, { cause })),
    )
    child.on('close', (code) => resolve({ code, said }))
  })
}

/** Only an administrator of the machine may install. */
export function requireRoot(): void {
  if (process.getuid !== undefined && process.getuid() !== 0)
    throw new MachineRefused('The agent on this machine does not run as root, so it cannot install anything.')
}
