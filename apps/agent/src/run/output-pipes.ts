import { execFile } from 'node:child_process'
import { chownSync, closeSync, constants, openSync, rmSync, unlinkSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Log } from '../log/log.ts'
import type { MachineUser } from '../os/os.ts'

const run = promisify(execFile)
const READ_BYTES = 64 * 1024

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
}

/**
 * Named pipes for the output of a run.
 *
 * Node's own `pipe` is a socket pair on POSIX, and a socket cannot be opened by its name: `echo text > /dev/stderr`,
 * which scripts do every day, fails there with "No such device or address". These are real pipes; their names are
 * removed as soon as both ends are open. Making the pair takes a process, so that one pair is made ahead.
 */
export class OutputPipes implements Disposable {
  #folder: string
  #log: Log
  #ahead: Promise<PipePair | undefined> | undefined
  #isDisposed = false

  constructor(options: { folder: string; log: Log }) {
    this.#folder = options.folder
    this.#log = options.log
  }

  /** A fresh pair that `user` may open again by name, or undefined where there are no named pipes. */
  async take(user: MachineUser | undefined): Promise<PipePair | undefined> {
    if (process.platform === 'win32') return undefined
    // A pair for another user is made on purpose: its owner is set while it still has a name.
    if (user !== undefined) return this.#make(user)
    const pair = this.#ahead ?? this.#make(undefined)
    this.#ahead = undefined
    return pair
  }

  /** Makes the next pair while nobody waits for it. */
  prepare(): void {
    if (process.platform !== 'win32' && !this.#isDisposed) this.#ahead ??= this.#make(undefined)
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    void this.#ahead?.then((pair) => {
      if (pair !== undefined) closePipes(pair)
    })
    this.#ahead = undefined
  }

  async #make(user: MachineUser | undefined): Promise<PipePair | undefined> {
    let folder: string | undefined
    try {
      folder = await mkdtemp(join(this.#folder, 'pipe-'))
      const names = [join(folder, 'stdout'), join(folder, 'stderr')] as const
      await run('mkfifo', ['-m', '600', ...names])
      if (user !== undefined) for (const name of names) chownSync(name, user.uid, user.gid)
      return { stdout: openPipe(names[0]), stderr: openPipe(names[1]) }
    } catch (cause) {
      this.#log.debug({ cause }, 'no named pipes here, using sockets')
      return undefined
    } finally {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    }
  }
}

export function closePipes(pair: PipePair): void {
  for (const { readable, writeFd } of [pair.stdout, pair.stderr]) {
    readable.destroy()
    closeSync(writeFd)
  }
}

function openPipe(name: string): OutputPipe {
  // The reading end first and without waiting, or opening the other would block for ever.
  const readFd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK)
  const writeFd = openSync(name, constants.O_WRONLY)
  unlinkSync(name)
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
