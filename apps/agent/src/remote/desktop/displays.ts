import { readdirSync, readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { basename } from 'node:path'

/** `X0` for the display `:0`, of the user that its server runs as. */
export const SOCKETS = '/tmp/.X11-unix'
const ANSWER_MS = 1000
/** An X server that shows windows inside Wayland: it has no screen of its own to show. */
const INSIDE_WAYLAND = 'Xwayland'
const X_SERVER = /^(X|X[A-Z]\w*|Xorg\.bin|Xwayland)$/i

/** A display of X11 that answers. */
export interface Display {
  /** `:0` */
  name: string
  /** File with the key to it; undefined where none is known. */
  authority: string | undefined
  /** The X server was started with this key; else a program says so, whoever runs it. */
  isServersKey?: boolean
}

export interface Screens {
  /** The one that people sit at first. */
  displays: Display[]
  /** There is a desktop that is Wayland's. */
  hasWayland: boolean
}

/** The X11 displays of this machine, by its sockets; their keys by the command lines of their servers and programs. */
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
  // The agent's own display, where it has one, is what its administrator chose.
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
    // It has ended, or is somebody else's.
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
    // No X server has ever run here.
    if (cause instanceof Error && 'code' in cause) return []
    throw cause
  }
}

/** What a killed X server leaves behind answers nobody. */
function answers(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(`${SOCKETS}/X${name.slice(1)}`)
    const tell = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(ANSWER_MS, () => tell(false))
    socket.once('connect', () => tell(true)).once('error', () => tell(false))
  })
}
