import { readFileSync } from 'node:fs'

/** Loopback and wildcard addresses as the kernel writes them in `/proc/net/tcp` and `tcp6`. */
const LOOPBACK = /^(0{24}|0{16}FFFF0000)?(0100007F|0{8})$/

/**
 * Returns whether another user of this machine listens on a loopback port, or holds the other end of a connection to
 * it. Any user can see ports: a faster program could take the port and receive the data. Root is trusted.
 */
export function isTakenByOther(port: number): boolean {
  const trusted = new Set([0, process.getuid?.()])
  const wanted = port.toString(16).toUpperCase().padStart(4, '0')
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(readRows).some(([, local = '', , , , , , uid]) => {
    const [address = '', number] = local.split(':')
    return number === wanted && LOOPBACK.test(address) && !trusted.has(Number(uid))
  })
}

function readRows(file: string): string[][] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n').slice(1)
    return lines.map((line) => line.trim().split(/\s+/))
  } catch (cause) {
    // A kernel without IPv6 has no second table.
    if (file.endsWith('6')) return []
    throw cause
  }
}
