import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { serverFlags } from '../../deploy/server-flags.mjs'
import { ROOT } from './program.ts'

const PROGRAM = join(ROOT, 'apps/server/src/testing/host-servers.ts')
const STOP_MS = 15_000

/** As in apps/server/src/testing/host-servers.ts. */
type HostRequest = { env: Record<string, string> } | { advanceMs: number } | { passMs: number } | 'stop'
type HostReply = { url: string } | { aheadMs: number } | { lastLine: string } | { error: string }

/** A process that runs one server after another. It is started with the first of them, and again where it has ended. */
export class TestHost implements AsyncDisposable {
  /** Standard error of the server in it. */
  readonly log: string[] = []
  #child: ChildProcess | undefined
  #lines = new EventEmitter()
  #isServing = false

  get isServing(): boolean {
    return this.#isServing && this.#child !== undefined
  }

  /** Returns the address. */
  async start(env: Record<string, string>): Promise<string> {
    this.log.splice(0)
    const reply = await this.#ask({ env }, this.#child ?? this.#fork(env))
    if (!('url' in reply))
      throw new Error(`the server did not start: ${JSON.stringify(reply)}\n${this.log.join('\n')}`)
    this.#isServing = true
    return reply.url
  }

  /** Moves the clock of the server forward. */
  async advance(advanceMs: number): Promise<void> {
    await this.#ask({ advanceMs }, this.#require())
  }

  /** Moves the clock of the server as if it had run for that time. */
  async pass(passMs: number): Promise<void> {
    await this.#ask({ passMs }, this.#require())
  }

  /** Stops the server in order; the process goes on. */
  async stopServer(): Promise<void> {
    const child = this.#require()
    this.#isServing = false
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    const reply = await this.#ask('stop', child)
    clearTimeout(timer)
    if (!('lastLine' in reply)) throw new Error(`the server did not stop in order: ${JSON.stringify(reply)}`)
    while (this.log.at(-1) !== reply.lastLine) await once(this.#lines, 'line')
  }

  /** Stops the server in order, then the process; returns its exit code. */
  async end(): Promise<number> {
    const child = this.#require()
    await this.stopServer()
    child.disconnect()
    const [code]: unknown[] = await once(child, 'exit')
    return typeof code === 'number' ? code : -1
  }

  /** Ends the process as a power cut would. */
  async kill(): Promise<void> {
    const child = this.#require()
    child.kill('SIGKILL')
    await once(child, 'close')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    child.disconnect()
    await once(child, 'exit')
  }

  #require(): ChildProcess {
    if (this.#child === undefined) throw new Error(`the server has ended:\n${this.log.join('\n')}`)
    return this.#child
  }

  #fork(env: Record<string, string>): ChildProcess {
    const child = fork(PROGRAM, {
      cwd: ROOT,
      env,
      execArgv: serverFlags,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#child = child
    if (child.stderr !== null)
      createInterface(child.stderr).on('line', (line) => {
        this.log.push(line)
        this.#lines.emit('line')
      })
    const kill = () => child.kill('SIGKILL')
    process.once('exit', kill)
    child.once('exit', () => {
      process.off('exit', kill)
      this.#child = undefined
    })
    return child
  }

  async #ask(request: HostRequest, child: ChildProcess): Promise<HostReply> {
    const { promise, resolve } = Promise.withResolvers<HostReply>()
    const onExit = () => resolve({ error: `the process has ended:\n${this.log.join('\n')}` })
    child.once('message', resolve).once('exit', onExit)
    child.send(request)
    const reply = await promise
    child.off('exit', onExit).off('message', resolve)
    return reply
  }
}
