import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { ListeningPort } from '@muster/contract/agent/processes'

const MAX_PORTS = 50
/** /proc/net: listening sockets. For UDP, sockets without a peer. */
const TABLES = [
  { file: 'tcp', protocol: 'tcp', state: '0A' },
  { file: 'tcp6', protocol: 'tcp', state: '0A' },
  { file: 'udp', protocol: 'udp', state: '07' },
  { file: 'udp6', protocol: 'udp', state: '07' },
] as const

const NONE: ListeningPort[] = []

/**
 * Finds which process listens on which port. The socket tables name no processes: the owner is found among the open
 * files of all processes. That is expensive, so it is done for new processes, and for all only if a socket has no
 * known owner.
 */
export class PortBook {
  #sockets = new Map<string, ListeningPort>()
  #inodesOf = new Map<string, string[]>()
  #ownerless = new Set<string>()
  #ports = new Map<string, ListeningPort[]>()
  #keys = new Map<string, string>()

  /** Reads the sockets again. Processes are identified by a unique key. */
  refresh(processes: { pid: number; key: string }[]): void {
    this.#sockets = readListening()
    const held = new Set([...this.#inodesOf.values()].flat())
    const isUnknown = [...this.#sockets.keys()].some(
      (inode) => !held.has(inode) && !this.#ownerless.has(inode),
    )
    const before = this.#inodesOf
    this.#inodesOf = new Map(
      processes.map(({ pid, key }) => [
        key,
        (isUnknown ? undefined : before.get(key)) ?? this.#findHeld(pid),
      ]),
    )
    const owned = new Set([...this.#inodesOf.values()].flat())
    this.#ownerless = new Set([...this.#sockets.keys()].filter((inode) => !owned.has(inode)))
  }

  /** Returns the same list object while nothing has changed. */
  portsOf(key: string): ListeningPort[] {
    const held = this.#inodesOf.get(key)
    if (held === undefined || held.length === 0) return NONE
    const inodes = held.filter((inode) => this.#sockets.has(inode))
    if (inodes.length === 0) return NONE
    const text = inodes.join()
    if (this.#keys.get(key) === text) return this.#ports.get(key) ?? NONE
    const found = inodes.map((inode) => this.#sockets.get(inode)).filter((port) => port !== undefined)
    const single = new Map(found.map((port) => [`${port.protocol} ${port.address} ${port.port}`, port]))
    const ports = [...single.values()].toSorted((a, b) => a.port - b.port).slice(0, MAX_PORTS)
    this.#keys.set(key, text)
    this.#ports.set(key, ports)
    return ports
  }

  drop(key: string): void {
    this.#keys.delete(key)
    this.#ports.delete(key)
  }

  #findHeld(pid: number): string[] {
    if (this.#sockets.size === 0) return []
    const held: string[] = []
    try {
      for (const fd of readdirSync(`/proc/${pid}/fd`)) {
        const inode = readSocket(`/proc/${pid}/fd/${fd}`)
        if (inode !== undefined && this.#sockets.has(inode)) held.push(inode)
      }
    } catch {
      // It has just exited, or the agent has no permission.
    }
    return held
  }
}

function readSocket(file: string): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(file))?.[1]
  } catch {
    // It was just closed.
    return undefined
  }
}

/** Listening sockets by inode. */
export function readListening(): Map<string, ListeningPort> {
  const found = new Map<string, ListeningPort>()
  for (const { file, protocol, state } of TABLES) {
    let text: string
    try {
      text = readFileSync(`/proc/net/${file}`, 'latin1')
    } catch {
      // A kernel without that protocol.
      continue
    }
    for (const [inode, place] of parseSockets(text, state)) found.set(inode, { protocol, ...place })
  }
  return found
}

/** A table of /proc/net: `0: 0100007F:20E4 00000000:0000 0A ...`. The inode is the tenth word. */
export function parseSockets(
  text: string,
  wanted: string,
): Map<string, Pick<ListeningPort, 'address' | 'port'>> {
  const found = new Map<string, Pick<ListeningPort, 'address' | 'port'>>()
  for (const line of text.split('\n').slice(1)) {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/)
    const [address = '', port = ''] = local.split(':')
    if (state !== wanted || inode === undefined || inode === '0') continue
    if (!/^([0-9A-F]{8}|[0-9A-F]{32})$/.test(address) || !/^[0-9A-F]{4}$/.test(port)) continue
    found.set(inode, { address: readAddress(address), port: Number.parseInt(port, 16) })
  }
  return found
}

/** Words of four bytes in the processor's byte order: the last byte comes first. */
function readAddress(hex: string): string {
  const bytes = [...hex.matchAll(/.{8}/g)].flatMap(([word]) =>
    [6, 4, 2, 0].map((at) => Number.parseInt(word.slice(at, at + 2), 16)),
  )
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255)
    return bytes.slice(12).join('.')
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[at * 2] ?? 0) << 8) | (bytes[at * 2 + 1] ?? 0)).toString(16),
  )
  // Shortens the address.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}
