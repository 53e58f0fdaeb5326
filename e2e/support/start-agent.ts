import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expectNoTrouble } from './clean-log.ts'
import { Program, ROOT } from './program.ts'

export interface AgentOptions {
  server: string
  token: string
  /** A new temporary folder when not given: a machine of its own. */
  dataFolder?: string
  env?: Record<string, string>
  /** `bundle`: the one file that machines get, started as their service starts it. `file`: one of another version. */
  program?: keyof typeof PROGRAMS | { file: string }
  /** A command that starts it, for example in another file system. */
  within?: readonly string[]
}

const APT_CONFIG = join(import.meta.dirname, 'no-newer-versions.conf')
const MOVED_CLOCK = join(import.meta.dirname, 'moved-clock.mjs')
const PROGRAMS = {
  sources: [join(ROOT, 'apps/agent/src/main.ts')],
  bundle: ['--max-semi-space-size=1', join(ROOT, 'apps/agent/dist/agent.mjs')],
}

/** Enrols a real agent with a data folder of its own, and runs it. It is gone, with its folder, when disposed. */
export async function startAgent(options: AgentOptions): Promise<TestAgent> {
  const agent = new TestAgent(options)
  try {
    await agent.enrol()
    agent.start()
  } catch (error) {
    await agent[Symbol.asyncDispose]()
    throw error
  }
  return agent
}

/** A real agent process, which can be stopped, killed and started again as the same machine. */
export class TestAgent implements AsyncDisposable {
  dataFolder: string
  readonly log: string[] = []
  /** How far the clock of the machine is ahead from the next start on. */
  aheadMinutes = 0
  #options: AgentOptions
  #program: Program | undefined

  constructor(options: AgentOptions) {
    this.#options = options
    this.dataFolder = options.dataFolder ?? ''
  }

  get pid(): number {
    if (this.#program === undefined) throw new Error('the agent is not started')
    return this.#program.pid
  }

  async enrol(): Promise<void> {
    if (this.dataFolder === '') this.dataFolder = await mkdtemp(join(tmpdir(), 'muster-e2e-agent-'))
    const { server, token } = this.#options
    const program = this.#spawn(['enrol', '--server', server, '--token', token])
    const code = await program.ended
    if (code !== 0) throw new Error(`the agent was not enrolled (exit code ${code}):\n${program.output()}`)
  }

  start(): void {
    this.#program = this.#spawn(['run'])
  }

  async stop(): Promise<number> {
    return this.#end('SIGTERM')
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Output of `muster-agent status`. */
  async status(): Promise<string> {
    const program = this.#spawn(['status'])
    await program.ended
    return program.stdout.join('\n')
  }

  expectCleanLog(...allowed: RegExp[]): void {
    expectNoTrouble('the agent', [...this.log, ...(this.#program?.stderr ?? [])], allowed)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program?.stop('SIGKILL')
    if (this.#options.dataFolder === undefined && this.dataFolder !== '') {
      await rm(this.dataFolder, { recursive: true, force: true, maxRetries: 5 })
    }
  }

  #spawn(args: string[]): Program {
    // Shells of tests read no profile, which may wait or print.
    const env = { ...process.env, HOME: tmpdir(), APT_CONFIG, ...this.#clock(), ...this.#options.env }
    const { program: chosen = 'sources' } = this.#options
    const program = typeof chosen === 'string' ? PROGRAMS[chosen] : [chosen.file]
    const command = [...(this.#options.within ?? []), process.execPath, ...program, ...args]
    const [file = '', ...rest] = command
    return new Program(file, [...rest, '--data', this.dataFolder], { env })
  }

  #clock(): Record<string, string> {
    if (this.aheadMinutes === 0) return {}
    return { NODE_OPTIONS: `--import ${MOVED_CLOCK}`, MUSTER_TEST_AHEAD_MS: `${this.aheadMinutes * 60_000}` }
  }

  async #end(signal: NodeJS.Signals): Promise<number> {
    const program = this.#program
    if (program === undefined) throw new Error('the agent is not started')
    const code = await program.stop(signal)
    this.log.push(...program.stderr)
    this.#program = undefined
    return code
  }
}
