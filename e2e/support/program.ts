import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { LONG_PATIENCE_MS } from '../../tools/patience.ts'

export const ROOT = resolve(import.meta.dirname, '../..')
// As `npm start` has it: a program starts in two thirds of the time.
const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/compiled')

/** They end with the test. One listener: Node warns of more than ten. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

const started: Program[] = []

/** Prints the last lines of each program that was started since the last call, where `isFailed`. */
export function reportPrograms(isFailed: boolean): void {
  for (const program of started.splice(0)) {
    if (isFailed) console.log(`--- ${program.name}\n${program.output()}`)
  }
}

/** A program that a test has started: its output is kept, and it does not outlive the test. */
export class Program implements AsyncDisposable {
  readonly name: string
  readonly stdout: string[] = []
  readonly stderr: string[] = []
  /** Exit code; -1 after a signal. */
  readonly ended: Promise<number>
  #child: ChildProcess
  #listeners = new Set<() => void>()
  #isOver = false

  constructor(file: string, args: string[], options: { env: NodeJS.ProcessEnv; cwd?: string }) {
    this.name = [file, ...args].join(' ')
    started.push(this)
    const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...options.env }
    this.#child = spawn(file, args, { cwd: ROOT, ...options, env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#keep(this.#child.stdout, this.stdout)
    this.#keep(this.#child.stderr, this.stderr)
    running.add(this.#child)
    this.ended = once(this.#child, 'close').then(
      ([code]: unknown[]) => {
        this.#isOver = true
        running.delete(this.#child)
        this.#notify()
        return typeof code === 'number' ? code : -1
      },
      (error: Error) => {
        throw new Error(`${file} could not be started`, { cause: error })
      },
    )
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the program was not started')
    return this.#child.pid
  }

  get isRunning(): boolean {
    return !this.#isOver
  }

  /** The first line of standard output that matches, now or within the time. */
  async waitForLine(pattern: RegExp, timeoutMs = LONG_PATIENCE_MS): Promise<RegExpExecArray> {
    const { promise, resolve: found, reject } = Promise.withResolvers<RegExpExecArray>()
    const look = () => {
      const line = this.stdout.find((text) => pattern.test(text))
      const match = line === undefined ? null : pattern.exec(line)
      if (match !== null) found(match)
      else if (this.#isOver)
        reject(new Error(`the program ended before it said ${pattern}:\n${this.output()}`))
    }
    const timer = setTimeout(() => reject(new Error(`nothing said ${pattern}:\n${this.output()}`)), timeoutMs)
    this.#listeners.add(look)
    look()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#listeners.delete(look)
    }
  }

  /** Asks it to stop and waits until it has; the answer is its exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number> {
    if (this.isRunning) this.#child.kill(signal)
    return this.ended
  }

  /** The last lines of its output, for error messages. */
  output(): string {
    return [...this.stdout.slice(-20), ...this.stderr.slice(-30)].join('\n')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('SIGKILL')
  }

  #keep(stream: NodeJS.ReadableStream | null, lines: string[]): void {
    if (stream === null) return
    createInterface(stream).on('line', (line) => {
      lines.push(line)
      this.#notify()
    })
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}
