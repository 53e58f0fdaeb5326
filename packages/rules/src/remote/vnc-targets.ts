/** Default VNC targets: the usual ports of the machine itself. */
export const DEFAULT_VNC_TARGETS = ['localhost:5900-5999']

export interface VncTarget {
  host: string
  port: number
}

interface Allowed {
  isHost: (host: string) => boolean
  from: number
  to: number
}

const NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*$/
const OWN_NAMES = new Set(['127.0.0.1', 'localhost'])

/** Normalizes a host: lower case; the machine's own address is `localhost`. */
function normalizeVncHost(host: string): string {
  const lower = host.trim().toLowerCase()
  return OWN_NAMES.has(lower) ? 'localhost' : lower
}

/** A name or an IPv4 address. */
export function isVncHost(host: string): boolean {
  return NAME.test(normalizeVncHost(host))
}

/**
 * Whether one of these lines allows the target: `host:port` or `host:from-to`, where the host is a name, an address,
 * a network (`10.0.0.0/8`) or `*`. Names are compared literally and never resolved.
 */
export function isAllowedVncTarget(lines: readonly string[], { host, port }: VncTarget): boolean {
  const wanted = normalizeVncHost(host)
  if (!isVncHost(wanted)) return false
  return lines.some((line) => {
    const allowed = parseLine(line)
    return allowed !== undefined && port >= allowed.from && port <= allowed.to && allowed.isHost(wanted)
  })
}

/** Returns the problem of a line as a sentence; undefined = valid. */
export function whyNoVncTarget(line: string): string | undefined {
  return parseLine(line) === undefined
    ? 'Use host:port or host:from-to, with a name, an address, a network such as 10.0.0.0/8, or * as the host.'
    : undefined
}

function parseLine(line: string): Allowed | undefined {
  const [, host, first, last] = /^(.+):(\d{1,5})(?:-(\d{1,5}))?$/.exec(line.trim().toLowerCase()) ?? []
  const isHost = host === undefined ? undefined : parseHost(host)
  const [from, to] = [Number(first), Number(last ?? first)]
  if (isHost === undefined || !(from >= 1 && to <= 65_535 && from <= to)) return undefined
  return { isHost, from, to }
}

function parseHost(text: string): Allowed['isHost'] | undefined {
  if (text === '*') return () => true
  const [, address, bits] = /^([\d.]+)\/(\d{1,2})$/.exec(text) ?? []
  if (address !== undefined) return parseNetwork(address, Number(bits))
  return isVncHost(text) ? (host) => host === normalizeVncHost(text) : undefined
}

function parseNetwork(address: string, bits: number): Allowed['isHost'] | undefined {
  const base = numberOf(address)
  if (base === undefined || bits > 32) return undefined
  const size = 2 ** (32 - bits)
  const first = Math.floor(base / size)
  return (host) => {
    const number = numberOf(host)
    return number !== undefined && Math.floor(number / size) === first
  }
}

/** An IPv4 address as a number; dotted decimal only. */
function numberOf(address: string): number | undefined {
  const parts = address.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0)
}
