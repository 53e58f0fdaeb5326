import { chownSync, statSync, writeSync } from 'node:fs'
import type { Socket } from 'node:net'
import { describeError } from '../../log/log.ts'
import { withStartUmask } from '../../os/umask.ts'
import type { ShellPlan } from './plan-shell.ts'

export interface Size {
  cols: number
  rows: number
}

/** A program with its own pseudo-terminal. */
export interface Pty {
  pid: number
  /** `onTaken` is called when the terminal has accepted the bytes. */
  write: (bytes: Buffer, onTaken: () => void) => void
  resize: (size: Size) => void
  pause: () => void
  resume: () => void
  /** Sends SIGHUP, as when a terminal is closed. */
  hangUp: () => void
}

export interface PtyEvents {
  onData: (bytes: Buffer) => void
  onExit: (exitCode: number | null) => void
}

/**
 * Starts a shell in a new pseudo-terminal. The native module is loaded on first use, because most agents never need
 * it. It is installed beside the agent.
 */
export async function openPty(
  { plan, marker, size }: { plan: ShellPlan; marker: string; size: Size },
  events: PtyEvents,
): Promise<Pty> {
  if (process.platform === 'win32') {
    const { openConpty } = await import('./open-conpty.ts')
    return openConpty({ plan, marker, size }, events)
  }
  const { spawn } = await loadModule()
  const pty = withStartUmask(() =>
    spawn(plan.program, plan.args, {
      name: 'xterm-256color',
      ...size,
      cwd: plan.cwd,
      env: { ...plan.env, COLORTERM: 'truecolor', MUSTER_RUN: marker },
      // Raw bytes: a character may be split between two chunks.
      encoding: null,
    }),
  )
  // With the encoding null it emits bytes, although the type says string.
  pty.onData((bytes: unknown) => events.onData(bytes as Buffer))
  pty.onExit(({ exitCode, signal }) => events.onExit(signal === undefined || signal === 0 ? exitCode : null))
  // Exists on POSIX only, and not in the types.
  const { _socket: socket, fd, ptsName } = pty as unknown as PosixPty
  // Programs open the terminal by its name and need permission.
  if (plan.owner !== undefined && ptsName !== undefined)
    chownSync(ptsName, plan.owner.uid, statSync(ptsName).gid)
  const writer = socket === undefined || fd === undefined ? undefined : new PtyWriter(fd, socket)
  return {
    pid: pty.pid,
    write(bytes, onTaken) {
      if (writer !== undefined) return writer.write(bytes, onTaken)
      pty.write(bytes.toString())
      onTaken()
    },
    resize: ({ cols, rows }) => pty.resize(cols, rows),
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    hangUp: () => pty.kill('SIGHUP'),
  }
}

interface PosixPty {
  _socket?: Socket
  fd?: number
  ptsName?: string
}

async function loadModule(): Promise<typeof import('@lydell/node-pty')> {
  try {
    return await import('@lydell/node-pty')
  } catch (cause) {
    throw new Error(
      `The terminal module for ${process.platform} ${process.arch} is missing. Run the install command again. (${describeError(cause).slice(0, 200)})`,
      { cause },
    )
  }
}

const RETRY_MS = 10

/**
 * Writes to the master side of a terminal. The kernel accepts 4 kB and then waits for the program. A Node stream
 * would block the agent with busy retries; this one polls a hundred times a second.
 */
class PtyWriter {
  #fd: number
  /** Reads from the same descriptor, and closes it. */
  #socket: Socket
  #queue: { bytes: Buffer; onTaken: () => void }[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(fd: number, socket: Socket) {
    this.#fd = fd
    this.#socket = socket
    socket.once('close', () => clearTimeout(this.#timer))
  }

  write(bytes: Buffer, onTaken: () => void): void {
    this.#queue.push({ bytes, onTaken })
    if (this.#timer === undefined) this.#push()
  }

  #push(): void {
    this.#timer = undefined
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      // The number may belong to another file by now.
      if (this.#socket.destroyed) return
      const written = this.#tryWrite(first.bytes)
      if (written === undefined) return
      if (written < first.bytes.length) {
        first.bytes = first.bytes.subarray(written)
        this.#timer = setTimeout(() => this.#push(), RETRY_MS)
        return
      }
      this.#queue.shift()
      first.onTaken()
    }
  }

  /** Undefined = the program has exited. */
  #tryWrite(bytes: Buffer): number | undefined {
    try {
      return writeSync(this.#fd, bytes)
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause)) throw cause
      return cause.code === 'EAGAIN' ? 0 : undefined
    }
  }
}
