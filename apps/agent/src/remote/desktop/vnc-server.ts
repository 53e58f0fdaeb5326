import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import { AgentError } from '../../errors.ts'
import { makeEnvironment, workingFolder } from '../../run/environment.ts'
import type { Display } from './displays.ts'
import type { VncProgram } from './vnc-programs.ts'

const READY_MS = 12_000
const RETRY_INTERVAL_MS = 30
const LOOPBACK = '127.0.0.1'
const MAX_ERROR_CHARACTERS = 20_000
/** VNC uses only eight characters of a password. */
const PASSWORD_CHARACTERS = 8

export interface VncServer {
  socket: Socket
  password: string
}

/**
 * Starts the VNC server of a display on a loopback port with its own password, and connects to it. Throws
 * AgentError if it does not respond.
 */
export async function startVncServer(
  program: VncProgram,
  {
    display,
    marker,
    folder,
    signal,
  }: { display: Display; marker: string; folder: string; signal: AbortSignal },
): Promise<VncServer> {
  const password = randomBytes(16).toString('base64url').slice(0, PASSWORD_CHARACTERS)
  const passwordFile = join(folder, `vnc-${marker}`)
  const port = await findFreePort()
  await writeFile(passwordFile, program.writePassword(password), { mode: 0o600, flag: 'wx' })
  let child: ChildProcess | undefined
  try {
    signal.throwIfAborted()
    child = spawn(program.path, program.args({ display, port, passwordFile }), {
      cwd: workingFolder(undefined),
      env: {
        ...makeEnvironment([], undefined),
        DISPLAY: display.name,
        ...(display.authority === undefined ? {} : { XAUTHORITY: display.authority }),
        MUSTER_RUN: marker,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const socket = await connectTo(program, { child, port, signal })
    // Some servers read it only when a viewer connects.
    socket.once('close', () => void rm(passwordFile, { force: true }))
    return { socket, password }
  } catch (cause) {
    child?.kill('SIGKILL')
    await rm(passwordFile, { force: true })
    throw cause
  }
}

async function connectTo(
  program: VncProgram,
  { child, port, signal }: { child: ChildProcess; port: number; signal: AbortSignal },
): Promise<Socket> {
  let said = ''
  child.stderr?.on('data', (bytes: Buffer) => {
    said = `${said}${bytes.toString()}`.slice(-MAX_ERROR_CHARACTERS)
  })
  let trouble: string | undefined
  child.once('error', (cause) => (trouble = cause.message))
  child.once('close', () => (trouble ??= complaintOf(said)))
  const until = performance.now() + READY_MS
  while (performance.now() < until) {
    signal.throwIfAborted()
    if (trouble !== undefined)
      throw new AgentError(`The VNC server (${program.name}) failed to show the desktop: ${trouble}`)
    const socket = await tryConnect(port)
    if (socket !== undefined && isTakenByOther(port)) {
      socket.destroy()
      throw new AgentError(`Another user of this machine uses the port of the VNC server (${program.name}).`)
    }
    if (socket !== undefined) return socket
    await new Promise((resolve) => setTimeout(resolve, RETRY_INTERVAL_MS))
  }
  throw new AgentError(`The VNC server (${program.name}) did not respond within ${READY_MS / 1000} seconds.`)
}

function tryConnect(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: LOOPBACK, noDelay: true })
    const refused = () => resolve(undefined)
    socket.once('error', refused)
    socket.once('connect', () => {
      socket.off('error', refused)
      resolve(socket)
    })
  })
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, LOOPBACK, resolve)
  })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('A port has a number.')
  return address.port
}

/** The last output line that looks like an error. */
function complaintOf(said: string): string {
  const lines = said
    .split('\n')
    .map((line) => line.replace(/^[\d/:. ]+/, '').trim())
    .filter((line) => line !== '')
  const reason = lines.findLast((line) =>
    /error|fail|cannot|could not|unable|refused|denied|not open/i.test(line),
  )
  return (reason ?? lines.at(-1) ?? 'it exited at once.').slice(0, 200)
}

/** Loopback and wildcard addresses as the kernel writes them in `/proc/net/tcp` and `tcp6`. */
const LOCAL_ADDRESS = /^(0{24}|0{16}FFFF0000)?(0100007F|0{8})$/

/**
 * Returns whether another user of this machine listens on a loopback port, or holds the other end of a connection to
 * it. Any user can see ports: a faster program could take the port and receive the data. Root is trusted.
 */
function isTakenByOther(port: number): boolean {
  const trusted = new Set([0, process.getuid?.()])
  const wanted = port.toString(16).toUpperCase().padStart(4, '0')
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(readRows).some(([, local = '', , , , , , uid]) => {
    const [address = '', number] = local.split(':')
    return number === wanted && LOCAL_ADDRESS.test(address) && !trusted.has(Number(uid))
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
