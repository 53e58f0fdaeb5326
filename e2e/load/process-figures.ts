import { readFileSync } from 'node:fs'

/** Clock ticks per second of /proc/PID/stat: 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

/** Resident memory of a process, in MB of 1,000,000 bytes, as the budgets count. */
export function residentMb(pid: number): number {
  return readStatusMb(pid, 'VmRSS')
}

/** Resident memory that no file is mapped to: it stays the same, whatever other processes share Node's program. */
export function privateMb(pid: number): number {
  return readStatusMb(pid, 'RssAnon')
}

/**
 * Resident memory that no file is mapped to and that the process can write, as the private working set of Windows. Wine
 * reads programs into memory instead of mapping them, so `privateMb` would count Node's own program there.
 */
export function writableMb(pid: number): number {
  let kib = 0
  let isWritable = false
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const permissions = /^[\da-f]+-[\da-f]+ (\S+)/.exec(line)?.[1]
    if (permissions !== undefined) isWritable = permissions.includes('w')
    else if (isWritable) kib += Number(/^Anonymous:\s+(\d+) kB/.exec(line)?.[1] ?? 0)
  }
  return (kib * 1024) / 1e6
}

function readStatusMb(pid: number, name: string): number {
  const kib = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  if (kib === undefined) throw new Error(`process ${pid} has no ${name}`)
  return (Number(kib) * 1024) / 1e6
}

/** Processor seconds that a process has used so far. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in parentheses may hold anything; user and system time are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}
