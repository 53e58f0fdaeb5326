import type { ListeningPort, MachineProcess } from '@muster/contract/agent/processes'
import type { ProcessSnapshot, ProcessReader, SeenProcess } from './os.ts'

const MAX_PORTS = 50

/** Collects the ports that processes listen on, without duplicates. */
export class DescribedPorts {
  #ports = new Map<number, Map<string, ListeningPort>>()

  /** `place` is `127.0.0.1:80`, `[::1]:80` or `*:80`. */
  add(pid: number, protocol: ListeningPort['protocol'], place: string): void {
    const [, address = '', port] = /^(.*):(\d{1,5})$/.exec(place) ?? []
    if (port === undefined || Number(port) > 65_535) return
    const bare = address.replace(/^\[(.*)\]$/, '$1').slice(0, 64)
    const ports = this.#ports.get(pid) ?? new Map<string, ListeningPort>()
    if (ports.size < MAX_PORTS)
      ports.set(`${protocol} ${place}`, { protocol, address: bare, port: Number(port) })
    this.#ports.set(pid, ports)
  }

  of(pid: number): ListeningPort[] {
    return [...(this.#ports.get(pid)?.values() ?? [])].toSorted((a, b) => a.port - b.port)
  }
}

/** A process reader for systems that list processes with a program. Unchanged processes keep their objects. */
export class ListedProcessReader implements ProcessReader {
  #ask: (signal: AbortSignal) => Promise<ProcessSnapshot>
  #known = new Map<number, { text: string; process: MachineProcess }>()

  constructor(ask: (signal: AbortSignal) => Promise<ProcessSnapshot>) {
    this.#ask = ask
  }

  async read(signal: AbortSignal): Promise<ProcessSnapshot> {
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
