import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setImmediate as letOthersWork } from 'node:timers/promises'
import { withDiskTimeout } from '../disk-calls.ts'

const AT_ONCE = 100

/** Processes with this program name, by the kernel's short name or the first word of the command line. */
export async function findNamedProcesses(
  name: string,
  signal: AbortSignal,
): Promise<{ count: number; memoryBytes: number }> {
  let count = 0
  let memoryBytes = 0
  let readCount = 0
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    readCount += 1
    if (readCount % AT_ONCE === 0) await letOthersWork(undefined, { signal })
    const status = parseStatus(tryRead(`/proc/${pid}/status`))
    // Zombies do not count as running.
    if (status === undefined || status.state === 'Z' || status.state === 'X') continue
    if (status.name !== name && (await readProgramName(pid)) !== name) continue
    count += 1
    memoryBytes += status.residentBytes
  }
  return { count, memoryBytes }
}

/** /proc/PID/status; undefined if the process has just exited. */
export function parseStatus(
  text: string | undefined,
): { name: string; state: string; residentBytes: number } | undefined {
  const [, name] = /^Name:\t(.*)$/m.exec(text ?? '') ?? []
  const [, state] = /^State:\t(\S)/m.exec(text ?? '') ?? []
  if (name === undefined || state === undefined) return undefined
  // Kernel threads have no memory of their own.
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(text ?? '') ?? []
  return { name, state, residentBytes: Number(kilobytes ?? 0) * 1024 }
}

/** `/usr/sbin/sshd -D` is sshd, and a login shell named `-bash` is bash. */
export function programName(commandLine: string): string {
  const [first = ''] = commandLine.split('\0', 1)
  return (first.split('/').at(-1) ?? '').replace(/^-/, '')
}

async function readProgramName(pid: string): Promise<string | undefined> {
  const file = `/proc/${pid}/cmdline`
  try {
    // The kernel blocks this while the process waits for a disk that does not respond.
    return programName(await withDiskTimeout(file, () => readFile(file, 'utf8')))
  } catch {
    // It has just exited, or is not readable.
    return undefined
  }
}

function tryRead(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // It has just exited.
    return undefined
  }
}
