import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverFlags, serverMemory } from '../../deploy/server-flags.mjs'
import { expectNoTrouble } from './clean-log.ts'
import { Program, ROOT } from './program.ts'

export interface ServerOptions {
  /** Settings beside the usual ones: those of a deployment, or of the test. */
  env?: Record<string, string>
  /** A new temporary folder when not given. */
  dataFolder?: string
}

const MAIN = join(ROOT, 'apps/server/src/main.ts')
const LISTENING = /^muster listening on (\S+)$/
const PASSWORD = /^ {2}password {2}(\S+)$/

/** Starts a server on a free port and waits until it listens. It is gone, with its folder, when disposed. */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const server = new TestServer(options)
  try {
    await server.start()
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  }
  return server
}

/** A real server process, which can be stopped, killed and started again on the same port and data. */
export class TestServer implements AsyncDisposable {
  /** http://127.0.0.1:port, the same after a restart. */
  url = ''
  /** What it wrote to standard error so far, over all its starts. */
  readonly log: string[] = []
  /** Name and password of the first user, as the first start printed them; set the password in `env` to choose it. */
  admin = { username: 'admin', password: '' }
  dataFolder: string
  #options: ServerOptions
  #program: Program | undefined

  constructor(options: ServerOptions) {
    this.#options = options
    this.dataFolder = options.dataFolder ?? ''
  }

  get program(): Program {
    if (this.#program === undefined) throw new Error('the server is not started')
    return this.#program
  }

  get pid(): number {
    return this.program.pid
  }

  get isRunning(): boolean {
    return this.#program?.isRunning === true
  }

  async start(): Promise<void> {
    if (this.dataFolder === '') this.dataFolder = await mkdtemp(join(tmpdir(), 'muster-e2e-'))
    const { PATH, HOME } = process.env
    const env: Record<string, string | undefined> = {
      PATH,
      HOME,
      MUSTER_DATA: this.dataFolder,
      MUSTER_PORT: this.url === '' ? '0' : new URL(this.url).port,
      // What the stories let it watch and notify stands on this machine.
      MUSTER_CHECK_TARGETS: 'any',
      MUSTER_CHANNEL_TARGETS: 'any',
      // As `npm start` has it.
      ...serverMemory,
      NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled'),
      ...this.#options.env,
    }
    const program = new Program(process.execPath, [...serverFlags, MAIN], { env })
    this.#program = program
    const [, url = ''] = await program.waitForLine(LISTENING)
    this.url = url
    const shown = program.stdout.map((line) => PASSWORD.exec(line)?.[1]).find((text) => text !== undefined)
    this.admin.username = env['MUSTER_ADMIN_USER'] ?? 'admin'
    this.admin.password = env['MUSTER_ADMIN_PASSWORD'] ?? shown ?? this.admin.password
  }

  /** Stops in order; the answer is the exit code. */
  async stop(): Promise<number> {
    const code = await this.program.stop('SIGTERM')
    this.#keepLog()
    return code
  }

  /** Ends it as a power cut would. */
  async kill(): Promise<void> {
    await this.program.stop('SIGKILL')
    this.#keepLog()
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  /** Fails when the log holds a warning, an error or anything that is no log line, except what is allowed. */
  expectCleanLog(...allowed: RegExp[]): void {
    expectNoTrouble('the server', [...this.log, ...(this.#program?.stderr ?? [])], allowed)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program?.stop('SIGKILL')
    if (this.#options.dataFolder === undefined && this.dataFolder !== '') {
      await rm(this.dataFolder, { recursive: true, force: true, maxRetries: 5 })
    }
  }

  #keepLog(): void {
    this.log.push(...(this.#program?.stderr ?? []))
    this.#program = undefined
  }
}
