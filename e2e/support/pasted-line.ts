import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expectNoTrouble } from './clean-log.ts'

/**
 * A line as pasted into a terminal: run by sh in its own process group, so that it can be stopped as with Ctrl+C.
 */
export class PastedLine implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  #stdout = ''
  #stderr = ''

  constructor(line: string) {
    this.#child = spawn('sh', ['-c', line], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text))
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text))
    this.#ended = once(this.#child, 'close')
  }

  /** Its standard output. */
  output(): string {
    return this.#stdout
  }

  async pressCtrlC(): Promise<void> {
    await this.#end('SIGINT')
  }

  /** Fails when the program of this line has warned of anything. */
  expectCleanLog(...allowed: RegExp[]): void {
    expectNoTrouble('the pasted line', this.#stderr.split('\n'), allowed)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end('SIGKILL')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child
    if (pid === undefined || exitCode !== null || signalCode !== null) return
    process.kill(-pid, signal)
    await this.#ended
  }
}
