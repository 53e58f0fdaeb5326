import type { ListeningPort } from '@muster/contract/agent/processes'

const MOST_PORTS = 50

/** Collects the ports that processes listen on, without duplicates. */
export class DescribedPorts {
  #ports = new Map<number, Map<string, ListeningPort>>()

  /** `place` is `127.0.0.1:80`, `[::1]:80` or `*:80`. */
  add(pid: number, protocol: ListeningPort['protocol'], place: string): void {
    const [, address = '', port] = /^(.*):(\d{1,5})$/.exec(place) ?? []
    if (port === undefined || Number(port) > 65_535) return
    const bare = address.replace(/^\[(.*)\]$/, '$1').slice(0, 64)
    const ports = this.#ports.get(pid) ?? new Map<string, ListeningPort>()
    if (ports.size < MOST_PORTS)
      ports.set(`${protocol} ${place}`, { protocol, address: bare, port: Number(port) })
    this.#ports.set(pid, ports)
  }

  of(pid: number): ListeningPort[] {
    return [...(this.#ports.get(pid)?.values() ?? [])].toSorted((a, b) => a.port - b.port)
  }
}
