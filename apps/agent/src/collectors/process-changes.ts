import { cpus } from 'node:os'
import {
  type MachineProcess,
  MAX_PROCESSES,
  type ProcessSample,
  PROCESSES_PER_FRAME,
  type ProcessUse,
} from '@muster/contract/agent/processes'
import type { ProcessSnapshot } from '../os/os.ts'

interface Reported {
  process: MachineProcess
  use: ProcessUse
}

/** Finds the changes of the process list since the last list that the server received. */
export class ProcessChanges {
  #processors = Math.max(1, cpus().length)
  #seen: { atMs: number; seen: ProcessSnapshot } | undefined
  #now = new Map<number, Reported>()
  #reported: Map<number, Reported> | undefined
  #leftOut = 0
  #cpuPercent = 0

  see(seen: ProcessSnapshot): void {
    const atMs = performance.now()
    const before = this.#seen
    this.#seen = { atMs, seen }
    const earlier = new Map(before?.seen.processes.map((entry) => [keyOf(entry.process), entry.cpuSeconds]))
    const seconds = (atMs - (before?.atMs ?? atMs)) / 1000
    const most = seen.processes.slice(0, MAX_PROCESSES)
    this.#leftOut = seen.processes.length - most.length
    this.#now = new Map(
      most.map(({ process, cpuSeconds, memoryBytes }) => {
        // The CPU time of a new process counts from its start.
        const used = cpuSeconds - (earlier.get(keyOf(process)) ?? cpuSeconds)
        return [process.pid, { process, use: [process.pid, this.#share(used, seconds), memoryBytes] }]
      }),
    )
    this.#cpuPercent = before === undefined ? 0 : busyShare(before.seen, seen)
  }

  /** Splits the changes into frames. */
  list(): ProcessSample[] {
    const reported = this.#reported
    const put: MachineProcess[] = []
    const use: ProcessUse[] = []
    for (const [pid, now] of this.#now) {
      const before = reported?.get(pid)
      if (before?.process !== now.process) put.push(now.process)
      const isNew = before?.process.start !== now.process.start
      if (isNew || before.use[1] !== now.use[1] || before.use[2] !== now.use[2]) use.push(now.use)
    }
    const gone = [...(reported?.keys() ?? [])].filter((pid) => !this.#now.has(pid))
    const memory = this.#seen?.seen.memory
    const sums = {
      left_out: this.#leftOut,
      cpu_percent: this.#cpuPercent,
      memory_total: memory?.totalBytes ?? 0,
      memory_used: memory?.usedBytes ?? 0,
    }
    const parts: ProcessSample[] = []
    do {
      const part = put.splice(0, PROCESSES_PER_FRAME)
      const more = put.length > 0
      const whole = reported === undefined && parts.length === 0
      parts.push({ whole, more, put: part, use: more ? [] : use, gone: more ? [] : gone, ...sums })
    } while (put.length > 0)
    return parts
  }

  /** Marks the last list as received by the server. */
  remember(): void {
    this.#reported = this.#now
  }

  #share(usedSeconds: number, seconds: number): number {
    if (seconds <= 0 || usedSeconds <= 0) return 0
    return round((usedSeconds / seconds / this.#processors) * 100)
  }
}

function busyShare(before: ProcessSnapshot, now: ProcessSnapshot): number {
  const total = now.cpu.total - before.cpu.total
  return total <= 0 ? 0 : round(((now.cpu.busy - before.cpu.busy) / total) * 100)
}

/** Clocks tick in 10 ms steps: more digits mean nothing. */
function round(percent: number): number {
  return Math.min(100, Math.max(0, Math.round(percent * 10) / 10))
}

function keyOf({ pid, start }: MachineProcess): string {
  return `${pid} ${start}`
}
