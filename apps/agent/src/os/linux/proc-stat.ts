import { readFileSync } from 'node:fs'

export interface ProcStat {
  pid: number
  name: string
  state: string
  parent: number
  /** CPU time of all its threads, in clock ticks. */
  cpuTicks: number
  nice: number
  /** Ticks since boot. */
  start: string
  residentPages: number
}

/**
 * /proc/PID/stat: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 *
 * Fields 1 to 4, 14 and 15, 19, 22 and 24. The name is in parentheses and may contain any character. One pattern,
 * because a list of all fields would create garbage a thousand times a second.
 */
const STAT =
  /^(\d+) \((.*)\) (\S) (-?\d+) (?:-?\d+ ){9}(\d+) (\d+) (?:-?\d+ ){3}(-?\d+) (?:-?\d+ ){2}(\d+) \d+ (-?\d+)(?: |$)/s

export function parseProcStat(text: string): ProcStat | undefined {
  const found = STAT.exec(text)
  if (found === null) return undefined
  const [, pid, name = '', state = '', parent, user, system, nice, start = '', resident] = found
  return {
    pid: Number(pid),
    name,
    state,
    parent: Number(parent),
    cpuTicks: Number(user) + Number(system),
    nice: Number(nice),
    start,
    residentPages: Math.max(0, Number(resident)),
  }
}

/** Undefined if the process has exited while the list is read. */
export function readProcStat(pid: number): ProcStat | undefined {
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return undefined
  }
}

/** A zombie. */
export function isEnded({ state }: Pick<ProcStat, 'state'>): boolean {
  return state === 'Z' || state === 'X' || state === 'x'
}

/** Whether a process has a handler for a signal, which would end it otherwise. */
export function catchesSignal(pid: number, signal: number): boolean {
  try {
    const [, mask = '0'] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return (BigInt(`0x${mask}`) & (1n << BigInt(signal - 1))) !== 0n
  } catch {
    return false
  }
}

/** Values that the kernel passes to programs at start: https://man7.org/linux/man-pages/man3/getauxval.3.html */
export function readKernelUnits(): { pageBytes: number; ticksPerSecond: number } {
  const values = new Map<bigint, number>()
  const words = readFileSync('/proc/self/auxv')
  for (let at = 0; at + 16 <= words.length; at += 16)
    values.set(words.readBigUInt64LE(at), Number(words.readBigUInt64LE(at + 8)))
  return { pageBytes: values.get(6n) ?? 4096, ticksPerSecond: values.get(17n) ?? 100 }
}
