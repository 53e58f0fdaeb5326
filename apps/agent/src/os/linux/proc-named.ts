import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setImmediate as letOthersWork } from 'node:timers/promises'
import { withDiskTimeout } from '../disk-calls.ts'
import { linuxProcessNames } from '../process-names.ts'
import { isEnded, readKernelUnits, readProcStat } from './proc-stat.ts'

const AT_ONCE = 100

/** Processes with this name, by any of the names of the process list. */
export async function findNamedProcesses(
  name: string,
  signal: AbortSignal,
): Promise<{ count: number; memoryBytes: number }> {
  const { pageBytes } = readKernelUnits()
  let count = 0
  let memoryBytes = 0
  let readCount = 0
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    readCount += 1
    if (readCount % AT_ONCE === 0) await letOthersWork(undefined, { signal })
    const stat = readProcStat(Number(pid))
    // Zombies do not count as running.
    if (stat === undefined || isEnded(stat)) continue
    if (stat.name !== name && !linuxProcessNames(stat.name, await readCommandLine(stat.pid)).includes(name))
      continue
    count += 1
    memoryBytes += stat.residentPages * pageBytes
  }
  return { count, memoryBytes }
}

/** The command line, whose arguments are separated by NUL; empty if the process has exited or is not readable. */
export async function readCommandLine(pid: number): Promise<string> {
  const file = `/proc/${pid}/cmdline`
  try {
    // The kernel blocks this while the process waits for a disk that does not respond.
    return await withDiskTimeout(file, () => readFile(file, 'utf8'))
  } catch {
    return ''
  }
}
