import { readdirSync, readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { basename } from 'node:path'

/** `X0` for the display `:0`, by the user of its X server. */
export const SOCKETS = '/tmp/.X11-unix'
const RESPONSE_TIMEOUT_MS = 1000
/** Xwayland, an X server inside Wayland, has no screen of its own. */
const INSIDE_WAYLAND = 'Xwayland'
const X_SERVER = /^(X|X[A-Z]\w*|Xorg\.bin|Xwayland)$/i

/** An X11 display that responds. */
export interface Display {
  /** `:0` */
  name: string
  /** The file with its key; undefined if unknown. */
  authority: string | undefined
  /** Whether the X server was started with this key; otherwise it comes from a program of any user. */
  isServersKey?: boolean
}

export interface Screens {
  /** Displays of signed-in users first. */
  displays: Display[]
  /** A Wayland desktop exists. */
  hasWayland: boolean
}

/**
 * Finds the X11 displays of this machine by their sockets, and their keys by the command lines of servers and
 * programs.
 */
export async function findScreens(): Promise<Screens> {
  const processes = readProcesses()
  const servers = processes.flatMap(readServer)
  const inside = new Set(servers.filter(({ program }) => program === INSIDE_WAYLAND).map(({ name }) => name))
  const found: Display[] = []
  for (const name of listSockets()) {
    if (inside.has(name) || !(await answers(name))) continue
    const ofServer = servers.find((server) => server.name === name)?.authority
    const ofProgram = processes
      .find(({ env }) => screenOf(env.get('DISPLAY')) === name && env.has('XAUTHORITY'))
      ?.env.get('XAUTHORITY')
    found.push({ name, authority: ofServer ?? ofProgram, isServersKey: ofServer !== undefined })
  }
  const own = screenOf(process.env.DISPLAY)
  // The agent's own display, if set, was chosen by the administrator.
  const displays = found.toSorted((a, b) => Number(b.name === own) - Number(a.name === own))
  const hasWayland = inside.size > 0 || processes.some(({ env }) => env.has('WAYLAND_DISPLAY'))
  return { displays, hasWayland }
}

interface Seen {
  args: string[]
  env: Map<string, string>
}

function readProcesses(): Seen[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({
      args: readParts(`/proc/${pid}/cmdline`),
      env: new Map(readParts(`/proc/${pid}/environ`).map(splitPair)),
    }))
}

function readParts(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\0')
  } catch {
    // It has exited, or belongs to another user.
    return []
  }
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf('=')
  return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)]
}

function readServer({ args }: Seen): { name: string; program: string; authority: string | undefined }[] {
  const program = basename(args[0] ?? '')
  if (!X_SERVER.test(program)) return []
  const name = args.find((arg) => /^:\d+$/.test(arg))
  const at = args.indexOf('-auth')
  return name === undefined ? [] : [{ name, program, authority: at < 0 ? undefined : args[at + 1] }]
}

/** `:1` of `:1.0`; undefined for displays of other machines. */
function screenOf(display: string | undefined): string | undefined {
  return /^(?:unix)?(:\d+)(?:\.\d+)?$/.exec(display ?? '')?.[1]
}

function listSockets(): string[] {
  try {
    return readdirSync(SOCKETS)
      .flatMap((file) => /^X(\d+)$/.exec(file)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => a - b)
      .map((number) => `:${number}`)
  } catch (cause) {
    // No X server has ever run on this machine.
    if (cause instanceof Error && 'code' in cause) return []
    throw cause
  }
}

/** The socket of a killed X server does not respond. */
function answers(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(`${SOCKETS}/X${name.slice(1)}`)
    const settle = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(RESPONSE_TIMEOUT_MS, () => settle(false))
    socket.once('connect', () => settle(true)).once('error', () => settle(false))
  })
}
