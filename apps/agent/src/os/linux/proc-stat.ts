import { readFileSync } from 'node:fs'

export interface ProcStat {
  pid: number
  name: string
  state: string
  parent: number
  /** Of all its threads, in ticks of the clock. */
  cpuTicks: number
  nice: number
  /** Ticks since the machine started. */
  start: string
  residentPages: number
}

/** /proc/PID/stat: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
export function parseProcStat(text: string): ProcStat | undefined {
  const [head = '', pid] = /^(\d+) \(/.exec(text) ?? []
  // The name stands in parentheses and may itself hold any character.
  const end = text.lastIndexOf(')')
  if (pid === undefined || end < head.length) return undefined
  const fields = text.slice(end + 2).split(' ')
  const number = (place: number) => Number(fields[place - 3])
  const [state = '', start = ''] = [fields[0], fields[22 - 3]]
  const stat = {
    pid: Number(pid),
    name: text.slice(head.length, end),
    state,
    parent: number(4),
    cpuTicks: number(14) + number(15),
    nice: number(19),
    start,
    residentPages: Math.max(0, number(24)),
  }
  const isWhole = /^\d+$/.test(start) && Object.values(stat).every((value) => !Number.isNaN(value))
  return isWhole ? stat : undefined
}

/** Undefined when it has ended: processes do while they are looked at. */
export function readProcStat(pid: number): ProcStat | undefined {
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return undefined
  }
}

/** Has ended; its parent has not asked after it yet. */
export function isEnded({ state }: Pick<ProcStat, 'state'>): boolean {
  return state === 'Z' || state === 'X' || state === 'x'
}

/** The numbers that the kernel tells programs at their start: https://man7.org/linux/man-pages/man3/getauxval.3.html */
export function readKernelUnits(): { pageBytes: number; ticksPerSecond: number } {
  const values = new Map<bigint, number>()
  const words = readFileSync('/proc/self/auxv')
  for (let at = 0; at + 16 <= words.length; at += 16)
    values.set(words.readBigUInt64LE(at), Number(words.readBigUInt64LE(at + 8)))
  return { pageBytes: values.get(6n) ?? 4096, ticksPerSecond: values.get(17n) ?? 100 }
}
