import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { Log } from '../log/log.ts'
import { withStartUmask } from '../os/umask.ts'
import { makeEnvironment, workingFolder } from './environment.ts'
import { closePipes, type OutputPipes, type PipePair } from './output-pipes.ts'
import type { ProcessPlan } from './run-process.ts'

const SHELL = '/bin/sh'
/** Programs that interpret variables which a shell adds to the environment. */
const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash'])
/** Bytes that a socket accepts at once. */
const MAX_LINE_BYTES = 32 * 1024
const KEEP_MS = 5 * 60_000

export interface ReadyShell {
  child: ChildProcess
  pipes: PipePair
}

/**
 * A shell that is started in advance for the next command of this agent's own user. A fork takes some milliseconds,
 * more with more memory in use; they are spent when a command has ended, for the next one within minutes. The shell
 * becomes the program with `exec`, so process id, group, exit and output are those of a process that was started for
 * the run. It exits with its agent. Linux only.
 */
export class StandbyShell implements Disposable {
  #pipes: OutputPipes
  #log: Log
  #ready: (ReadyShell & { surroundings: string; timer: NodeJS.Timeout }) | undefined
  #isPreparing = false
  #isDisposed = false

  constructor(options: { pipes: OutputPipes; log: Log }) {
    this.#pipes = options.pipes
    this.#log = options.log
  }

  /** Returns the shell, which becomes the planned process; undefined if there is none, or the result would differ. */
  take(plan: ProcessPlan, marker: string): ReadyShell | undefined {
    const ready = this.#ready
    if (ready === undefined) return undefined
    const line = describeExec(plan, marker)
    if (!isWaiting(ready.child)) {
      this.#drop(ready.child)
      return undefined
    }
    if (line === undefined || ready.surroundings !== describeSurroundings(plan)) return undefined
    clearTimeout(ready.timer)
    this.#ready = undefined
    ready.child.stdin?.end(line)
    return ready
  }

  /** Starts a shell for the next command if there is none. */
  async prepare(): Promise<void> {
    if (process.platform !== 'linux' || this.#isDisposed || this.#isPreparing || this.#ready !== undefined)
      return
    this.#isPreparing = true
    try {
      const pipes = await this.#pipes.take(undefined)
      if (pipes === undefined) return
      if (this.#isDisposed) closePipes(pipes)
      else this.#start(pipes)
    } catch (cause) {
      this.#log.debug({ cause }, 'failed to start a standby shell')
    } finally {
      this.#isPreparing = false
    }
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    this.#drop(this.#ready?.child)
  }

  #start(pipes: PipePair): void {
    const plan = { env: makeEnvironment([], undefined), cwd: workingFolder(undefined) }
    const surroundings = describeSurroundings(plan)
    let child: ChildProcess
    try {
      const stdio = ['pipe', pipes.stdout.writeFd, pipes.stderr.writeFd] as const
      child = withStartUmask(() => spawn(SHELL, { ...plan, detached: true, stdio: [...stdio] }))
    } catch (cause) {
      closePipes(pipes)
      throw cause
    }
    for (const { writeFd } of [pipes.stdout, pipes.stderr]) closeSync(writeFd)
    const timer = setTimeout(() => this.#drop(child), KEEP_MS).unref()
    this.#ready = { child, pipes, surroundings, timer }
    child.once('exit', () => this.#drop(child))
    child.once('error', (cause) => {
      this.#log.debug({ cause }, 'failed to start a standby shell')
      this.#drop(child)
    })
    // A broken stdin means that the shell has exited, which is handled elsewhere.
    child.stdin?.on('error', () => {})
  }

  /** Ends it, unless it has become a run. */
  #drop(child: ChildProcess | undefined): void {
    const ready = this.#ready
    if (ready === undefined || ready.child !== child) return
    this.#ready = undefined
    clearTimeout(ready.timer)
    ready.child.stdin?.destroy()
    for (const { readable } of [ready.pipes.stdout, ready.pipes.stderr]) readable.destroy()
    ready.pipes.release(false)
  }
}

/** Node notices a killed process only in the next turn of the event loop. */
function isWaiting({ pid, exitCode, signalCode }: ChildProcess): boolean {
  if (pid === undefined || exitCode !== null || signalCode !== null) return false
  try {
    return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** The folder by inode too: another folder may have taken its name. */
function describeSurroundings({ env, cwd }: Pick<ProcessPlan, 'env' | 'cwd'>): string {
  const { dev, ino } = statSync(cwd)
  return JSON.stringify([cwd, dev, ino, Object.entries(env)])
}

/** The line that turns a shell into the planned process; undefined if the result would not be identical. */
function describeExec({ program, args, user }: ProcessPlan, marker: string): string | undefined {
  if (user !== undefined || !SHELLS.has(basename(program))) return undefined
  const words = [program, ...args]
  if (words.some((word) => word.includes('\0'))) return undefined
  const line = `{ export MUSTER_RUN=${quote(marker)}; exec ${words.map(quote).join(' ')} </dev/null; }\n`
  return Buffer.byteLength(line) > MAX_LINE_BYTES ? undefined : line
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}
