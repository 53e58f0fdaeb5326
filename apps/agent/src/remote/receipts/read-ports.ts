import { readdirSync, readFileSync } from 'node:fs'
import { PortBook, readListening } from '../../os/linux/listening-ports.ts'

/** From here on the kernel gives UDP ports to whoever asks something, for as long as the answer takes. */
const PASSING_PORTS = 32_768
/** The VNC server of a window on the desktop is Muster's own, and gone with it. */
const OWN_PROGRAMS = new Set(['x11vnc', 'X0tigervnc', 'x0vncserver'])

/** What listens where: `tcp 0.0.0.0:80`, and the program if it can be told. */
export function readPorts(): Record<string, string> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const book = new PortBook()
  book.refresh(pids.map((pid) => ({ pid: Number(pid), key: pid })))
  const ports: Record<string, string> = {}
  for (const port of readListening().values()) ports[nameOf(port)] = ''
  for (const pid of pids) {
    const held = book.portsOf(pid)
    if (held.length === 0) continue
    const program = readText(`/proc/${pid}/comm`).trim()
    const isOwn = OWN_PROGRAMS.has(program) && readText(`/proc/${pid}/environ`).includes('MUSTER_RUN=')
    for (const port of held) {
      if (isOwn) delete ports[nameOf(port)]
      else ports[nameOf(port)] = program
    }
  }
  for (const name of Object.keys(ports)) if (isPassing(name)) delete ports[name]
  return ports
}

function nameOf({ protocol, address, port }: { protocol: string; address: string; port: number }): string {
  return `${protocol} ${address.includes(':') ? `[${address}]` : address}:${port}`
}

function isPassing(name: string): boolean {
  return name.startsWith('udp') && Number(name.slice(name.lastIndexOf(':') + 1)) >= PASSING_PORTS
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // It has just ended, or is somebody else's.
    return ''
  }
}
