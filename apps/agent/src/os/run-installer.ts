import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { findProgram, searchPath } from '../run/find-program.ts'
import { MachineRefused } from './machine-refused.ts'
import { withStartUmask } from './umask.ts'

const MOST_KEPT = 16_000

export interface InstallerEnd {
  code: number | null
  /** The end of its output, to find the error. */
  said: string
}

/**
 * Runs an installer and passes its output on as it arrives. In English and without prompts. `onStatus` receives its
 * output on descriptor 3.
 */
export function runInstaller(
  name: string,
  args: readonly string[],
  { env = {}, onStatus }: { env?: Record<string, string>; onStatus?: (text: string) => void } = {},
): Promise<InstallerEnd> {
  const program = findProgram(name)
  if (program === undefined) throw new MachineRefused(`${name} is not installed on this machine.`)
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
  // Descriptor 3 is a read-only pipe if requested.
  const status = child.stdio[3] as Readable | null | undefined
  if (onStatus !== undefined) status?.setEncoding('utf8').on('data', onStatus)
  return new Promise((resolve, reject) => {
    child.on('error', (cause) =>
      reject(new MachineRefused(`Failed to start ${name}: ${cause.message}.`, { cause })),
    )
    child.on('close', (code) => resolve({ code, said }))
  })
}

/** Only an administrator of the machine may install software. */
export function requireRoot(): void {
  if (process.getuid !== undefined && process.getuid() !== 0)
    throw new MachineRefused('The agent on this machine does not run as root, so it cannot install software.')
}
