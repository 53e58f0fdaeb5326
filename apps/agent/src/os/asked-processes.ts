import type { MachineProcess } from '@muster/contract/agent/processes'
import type { ProcessesSeen, ProcessReader, SeenProcess } from './process-tools.ts'

/** A process reader for systems that list processes with a program. Unchanged processes keep their objects. */
export class AskedProcessReader implements ProcessReader {
  #ask: (signal: AbortSignal) => Promise<ProcessesSeen>
  #known = new Map<number, { text: string; process: MachineProcess }>()

  constructor(ask: (signal: AbortSignal) => Promise<ProcessesSeen>) {
    this.#ask = ask
  }

  async read(signal: AbortSignal): Promise<ProcessesSeen> {
    const seen = await this.#ask(signal)
    const before = this.#known
    this.#known = new Map()
    return { ...seen, processes: seen.processes.map((entry) => this.#same(entry, before)) }
  }

  #same(entry: SeenProcess, before: Map<number, { text: string; process: MachineProcess }>): SeenProcess {
    const text = JSON.stringify(entry.process)
    const known = before.get(entry.process.pid)
    const kept = known?.text === text ? known : { text, process: entry.process }
    this.#known.set(entry.process.pid, kept)
    return { ...entry, process: kept.process }
  }
}
