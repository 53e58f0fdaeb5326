import { execFile } from 'node:child_process'
import { chownSync, closeSync, constants, openSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Log } from '../log/log.ts'
import type { MachineUser } from '../os/os.ts'

const run = promisify(execFile)
const READ_BYTES = 64 * 1024
/** Pairs of names that are kept for the next runs. */
const KEPT_PAIRS = 4

/** Where one process writes and the agent reads, for one of its streams. */
export interface OutputPipe {
  readable: Socket
  /** Where the bytes go; they are overwritten by the next ones. */
  onBytes: (bytes: Buffer) => void
  /** To be handed to the process and closed afterwards. */
  writeFd: number
}
export interface PipePair {
  stdout: OutputPipe
  stderr: OutputPipe
  /** Gives the names back. `isQuiet`: both streams came to their end, so that nobody writes to them any more. */
  release: (isQuiet: boolean) => void
}

/**
 * Named pipes for the output of a run.
 *
 * Node's own `pipe` is a socket pair on POSIX, and a socket cannot be opened by its name: `echo text > /dev/stderr`,
 * which scripts do every day, fails there with "No such device or address". These are real pipes. Node can make them
 * only by a process of its own, so that a pair of names serves one run after the other.
 */
export class OutputPipes implements Disposable {
  #folder: string
  #log: Log
  #kept: string[] = []
  #isDisposed = false

  constructor(options: { folder: string; log: Log }) {
    this.#folder = options.folder
    this.#log = options.log
  }

  /** A pair that `user` may open again by name, or undefined where there are no named pipes. */
  async take(user: MachineUser | undefined): Promise<PipePair | undefined> {
    if (process.platform === 'win32') return undefined
    let folder: string | undefined
    try {
      // A pair for another user belongs to that user, and serves once.
      folder = (user === undefined ? this.#kept.pop() : undefined) ?? (await this.#make(user))
      return this.#open(folder, user === undefined)
    } catch (cause) {
      this.#log.debug({ cause }, 'no named pipes here, using sockets')
      if (folder !== undefined) remove(folder)
      return undefined
    }
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    for (const folder of this.#kept.splice(0)) remove(folder)
  }

  async #make(user: MachineUser | undefined): Promise<string> {
    const folder = await mkdtemp(join(this.#folder, 'pipe-'))
    try {
      const names = [join(folder, 'stdout'), join(folder, 'stderr')]
      await run('mkfifo', ['-m', '600', ...names])
      if (user !== undefined) for (const name of names) chownSync(name, user.uid, user.gid)
      return folder
    } catch (cause) {
      remove(folder)
      throw cause
    }
  }

  #open(folder: string, mayKeep: boolean): PipePair {
    const stdout = openPipe(join(folder, 'stdout'))
    const stderr = openPipe(join(folder, 'stderr'))
    const release = (isQuiet: boolean) => {
      if (isQuiet && mayKeep && !this.#isDisposed && this.#kept.length < KEPT_PAIRS) this.#kept.push(folder)
      else remove(folder)
    }
    return { stdout, stderr, release }
  }
}

/** For a pair that no process was started with. */
export function closePipes(pair: PipePair): void {
  for (const { readable, writeFd } of [pair.stdout, pair.stderr]) {
    readable.destroy()
    closeSync(writeFd)
  }
  pair.release(false)
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

function openPipe(name: string): OutputPipe {
  // The reading end first and without waiting, or opening the other would block for ever.
  const readFd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK)
  const writeFd = openSync(name, constants.O_WRONLY)
  // One buffer for all that is read: a gigabyte in fresh ones would keep 50 MB waiting for the garbage collector.
  const onread = {
    buffer: Buffer.allocUnsafeSlow(READ_BYTES),
    callback(count: number, buffer: Uint8Array) {
      pipe.onBytes(Buffer.from(buffer.buffer, buffer.byteOffset, count))
      return true
    },
  }
  const readable = new Socket({ fd: readFd, readable: true, writable: false, onread })
  const pipe: OutputPipe = { readable, writeFd, onBytes: () => {} }
  return pipe
}
