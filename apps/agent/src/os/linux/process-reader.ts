import { readdirSync, readFileSync, statSync } from 'node:fs'
import { setImmediate as letOthersWork } from 'node:timers/promises'
import { type MachineProcess, MAX_COMMAND } from '@muster/contract/agent/processes'
import type { ProcessSnapshot, ProcessReader, SeenProcess } from '../os.ts'
import { linuxProcessNames } from '../process-names.ts'
import { PortBook } from './listening-ports.ts'
import { parseCpuTimes, parseMemory } from './counters.ts'
import { isEnded, type ProcStat, readKernelUnits, readProcStat } from './proc-stat.ts'
import { UserNames } from './users.ts'
import { readCommandLine } from './proc-named.ts'

/** Running and sleeping are merged: they change all the time, and CPU use says more. */
const STATES: Partial<Record<string, MachineProcess['state']>> = {
  D: 'waiting',
  T: 'stopped',
  t: 'stopped',
  Z: 'ended',
  X: 'ended',
  x: 'ended',
}

const stateOf = ({ state }: ProcStat) => STATES[state] ?? 'running'
const niceOf = ({ nice }: ProcStat) => Math.min(19, Math.max(-20, nice))

/** Number of processes between two yields to the event loop. */
const AT_ONCE = 50
const PORTS_EVERY_MS = 5000
/**
 * Command line and user of a process are read again after this many to twice as many rounds, because both can change
 * while it runs. A reused number has another name and is read again at once.
 */
const REFRESH_AFTER_ROUNDS = 30

interface Known {
  /** A unique key, also if the number is reused later. */
  key: string
  process: MachineProcess
  kernelName: string
  roundsLeft: number
}

/** Reads /proc. Values that rarely change are read for new processes, and from time to time. */
export class LinuxProcessReader implements ProcessReader {
  #units = readKernelUnits()
  #bootMs = readBootMs()
  #users = new UserNames()
  #ports = new PortBook()
  #portsAtMs = -PORTS_EVERY_MS
  #known = new Map<number, Known>()

  async read(signal: AbortSignal): Promise<ProcessSnapshot> {
    const stats: ProcStat[] = []
    let readCount = 0
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue
      readCount += 1
      if (readCount % AT_ONCE === 0) await letOthersWork(undefined, { signal })
      const stat = readProcStat(Number(name))
      if (stat !== undefined) stats.push(stat)
    }
    this.#readPorts(stats)
    const before = this.#known
    this.#known = new Map()
    const processes: SeenProcess[] = []
    for (const stat of stats) {
      const last = before.get(stat.pid)
      const known = last?.process.start === stat.start ? last : undefined
      // Most processes are idle and unchanged: this runs a thousand times a second and has to be cheap.
      const process =
        known !== undefined && this.#isAsBefore(stat, known)
          ? known.process
          : await this.#describe(stat, known)
      processes.push({
        process,
        cpuSeconds: stat.cpuTicks / this.#units.ticksPerSecond,
        memoryBytes: stat.residentPages * this.#units.pageBytes,
      })
    }
    for (const [pid, { key }] of before) if (this.#known.get(pid)?.key !== key) this.#ports.drop(key)
    const { totalBytes, availableBytes } = parseMemory(readFileSync('/proc/meminfo', 'utf8'))
    return {
      processes,
      cpu: parseCpuTimes(readFileSync('/proc/stat', 'utf8')),
      memory: { totalBytes, usedBytes: totalBytes - availableBytes },
    }
  }

  #readPorts(stats: ProcStat[]): void {
    if (performance.now() - this.#portsAtMs < PORTS_EVERY_MS) return
    this.#ports.refresh(stats.map((stat) => ({ pid: stat.pid, key: keyOf(stat) })))
    this.#portsAtMs = performance.now()
  }

  #isAsBefore(stat: ProcStat, known: Known): boolean {
    const { process } = known
    const isSameStill =
      isFresh(stat, known) &&
      process.parent_pid === stat.parent &&
      process.state === stateOf(stat) &&
      process.nice === niceOf(stat) &&
      process.ports === this.#ports.portsOf(known.key)
    if (!isSameStill) return false
    known.roundsLeft -= 1
    this.#known.set(stat.pid, known)
    return true
  }

  /** Returns the same object while nothing has changed. */
  async #describe(stat: ProcStat, known: Known | undefined): Promise<MachineProcess> {
    const key = known?.key ?? keyOf(stat)
    const changing = {
      parent_pid: stat.parent,
      state: stateOf(stat),
      nice: niceOf(stat),
      ports: this.#ports.portsOf(key),
    }
    const fresh = known !== undefined && isFresh(stat, known)
    const lasting = fresh
      ? { name: known.process.name, command: known.process.command, username: known.process.username }
      : await this.#lookUp(stat, known?.process)
    const process = {
      pid: stat.pid,
      start: stat.start,
      started_at: this.#startedAt(stat),
      ...changing,
      ...lasting,
    }
    const same = known !== undefined && isSame(known.process, process) ? known.process : process
    this.#known.set(stat.pid, {
      key,
      process: same,
      kernelName: stat.name,
      // Spread over several rounds.
      roundsLeft: fresh ? known.roundsLeft - 1 : REFRESH_AFTER_ROUNDS + (stat.pid % REFRESH_AFTER_ROUNDS),
    })
    return same
  }

  async #lookUp(stat: ProcStat, before: MachineProcess | undefined) {
    const username = await this.#findUser(stat.pid, before)
    // A zombie has no command line any more.
    if (isEnded(stat))
      return { name: before?.name ?? stat.name.slice(0, 255), command: before?.command ?? '', username }
    const commandLine = await readCommandLine(stat.pid)
    const command = commandLine.replace(/\0+$/, '').replaceAll('\0', ' ').slice(0, MAX_COMMAND)
    return { name: linuxProcessNames(stat.name, commandLine)[0].slice(0, 255), command, username }
  }

  async #findUser(pid: number, before: MachineProcess | undefined): Promise<string> {
    try {
      return (await this.#users.nameOf(statSync(`/proc/${pid}`).uid)).slice(0, 255)
    } catch {
      // It has just exited.
      return before?.username ?? ''
    }
  }

  #startedAt({ start }: ProcStat): string {
    const atMs = this.#bootMs + (Number(start) / this.#units.ticksPerSecond) * 1000
    return new Date(Math.round(atMs / 1000) * 1000).toISOString()
  }
}

/** Command line and user are still fresh. */
function isFresh(stat: ProcStat, { roundsLeft, kernelName }: Known): boolean {
  return roundsLeft > 0 && kernelName === stat.name && !isEnded(stat)
}

function keyOf({ pid, start }: ProcStat): string {
  return `${pid} ${start}`
}

function isSame(a: MachineProcess, b: MachineProcess): boolean {
  return (
    a.parent_pid === b.parent_pid &&
    a.name === b.name &&
    a.state === b.state &&
    a.nice === b.nice &&
    a.ports === b.ports &&
    a.command === b.command &&
    a.username === b.username
  )
}

function readBootMs(): number {
  const [, seconds] = /^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8')) ?? []
  return Number(seconds ?? 0) * 1000
}
