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
/** Named pipe pairs that are reused. */
const MAX_POOLED_PAIRS = 4

/** The pipe of one output stream. */
export interface OutputPipe {
  readable: Socket
  /** Receives the bytes, which the next read overwrites. */
  onBytes: (bytes: Buffer) => void
  /** Passed to the process and closed afterwards. */
  writeFd: number
}
export interface PipePair {
  stdout: OutputPipe
  stderr: OutputPipe
  /** Returns the pair for reuse. `isQuiet`: both streams have ended, so no process writes to them any more. */
  release: (isQuiet: boolean) => void
}

/**
 * Named pipes for the output of a run.
 *
 * Node's own `pipe` is a socket pair on POSIX, and a socket cannot be opened by name: `echo text > /dev/stderr`,
 * which is common in scripts, fails with "No such device or address". These are real pipes. Node can create them
 * only with a child process, so pairs are reused.
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

  /** A pair that `user` may open again by name, or undefined if named pipes are not available. */
  async take(user: MachineUser | undefined): Promise<PipePair | undefined> {
    if (process.platform === 'win32') return undefined
    let folder: string | undefined
    try {
      // A pair for another user belongs to that user and is used once.
      folder = (user === undefined ? this.#kept.pop() : undefined) ?? (await this.#make(user))
      return this.#open(folder, user === undefined)
    } catch (cause) {
      this.#log.debug({ cause }, 'failed to create named pipes, using sockets')
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
      if (isQuiet && mayKeep && !this.#isDisposed && this.#kept.length < MAX_POOLED_PAIRS)
        this.#kept.push(folder)
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
  // The reading end is opened first and non-blocking, or opening the other end would block forever.
  const readFd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK)
  const writeFd = openSync(name, constants.O_WRONLY)
  // One buffer for all reads: new buffers for a gigabyte would keep 50 MB waiting for garbage collection.
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
