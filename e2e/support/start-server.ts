import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverFlags, serverMemory } from '../../deploy/server-flags.mjs'
import { expectNoTrouble } from './clean-log.ts'
import { Program, ROOT } from './program.ts'
import type { TestHost } from './test-host.ts'

export interface ServerOptions {
  /** Settings beside the usual ones: those of a deployment, or of the test. */
  env?: Record<string, string>
  /** A new temporary folder when not given. */
  dataFolder?: string
  /** A process that is kept for the next server, unless this one is stopped or killed. */
  host?: TestHost
}

const MAIN = join(ROOT, 'apps/server/src/main.ts')
const LISTENING = /^muster listening on (\S+)$/
const PASSWORD = /^ {2}password {2}(\S+)$/
const HOSTED_PASSWORD = 'dusk over the harbour'

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
  /** Lines of standard error, over all its starts. */
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
    return this.#options.host?.isServing ?? this.#program?.isRunning === true
  }

  async start(): Promise<void> {
    if (this.dataFolder === '') this.dataFolder = await mkdtemp(join(tmpdir(), 'muster-e2e-'))
    const { PATH, HOME } = process.env
    const env: Record<string, string> = {
      PATH: PATH ?? '',
      HOME: HOME ?? tmpdir(),
      MUSTER_DATA: this.dataFolder,
      // However full the disk of this machine is.
      MUSTER_MIN_FREE_MB: '0',
      MUSTER_PORT: this.url === '' ? '0' : new URL(this.url).port,
      // The stories watch and notify addresses of this machine.
      MUSTER_CHECK_TARGETS: 'any',
      MUSTER_CHANNEL_TARGETS: 'any',
      // A dialog of a story must not fetch Node for Windows.
      // Not those that `npm run packages` has built here.
      MUSTER_PACKAGES: join(this.dataFolder, 'release'),
      MUSTER_PACKAGE_BUILDER: join(ROOT, 'apps/server/src/testing/stand-in-builder.ts'),
      // As `npm start` has it.
      ...serverMemory,
      NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled'),
      ...this.#options.env,
    }
    const { host } = this.#options
    if (host !== undefined) {
      this.url = await host.start({ MUSTER_ADMIN_PASSWORD: HOSTED_PASSWORD, ...env })
      this.admin.password = env['MUSTER_ADMIN_PASSWORD'] ?? HOSTED_PASSWORD
      return
    }
    const program = new Program(process.execPath, [...serverFlags, MAIN], { env })
    this.#program = program
    const [, url = ''] = await program.waitForLine(LISTENING)
    this.url = url
    const shown = program.stdout.map((line) => PASSWORD.exec(line)?.[1]).find((text) => text !== undefined)
    this.admin.username = env['MUSTER_ADMIN_USER'] ?? 'admin'
    this.admin.password = env['MUSTER_ADMIN_PASSWORD'] ?? shown ?? this.admin.password
  }

  /** Moves its clock forward; what is then due has been done when it returns. In stories only. */
  async advance(minutes: number): Promise<void> {
    if (this.#options.host === undefined) throw new Error('only the clock of a hosted server can be moved')
    await this.#options.host.advance(minutes * 60_000)
  }

  /** Moves its clock as if it had run for that time; after `advance` it has slept. In stories only. */
  async pass(minutes: number): Promise<void> {
    if (this.#options.host === undefined) throw new Error('only the clock of a hosted server can be moved')
    await this.#options.host.pass(minutes * 60_000)
  }

  /** Stops in order; the answer is the exit code. */
  async stop(): Promise<number> {
    const { host } = this.#options
    const code = await (host === undefined ? this.program.stop('SIGTERM') : host.end())
    this.#keepLog()
    return code
  }

  /** Ends it as a power cut would. */
  async kill(): Promise<void> {
    const { host } = this.#options
    await (host === undefined ? this.program.stop('SIGKILL') : host.kill())
    this.#keepLog()
  }

  /** Stops in order where it runs, and leaves the process of its host to the next server. */
  async leaveHost(): Promise<void> {
    const { host } = this.#options
    if (host?.isServing !== true) return
    await host.stopServer()
    this.#keepLog()
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  /** Fails when the log holds a warning, an error or anything that is no log line, except what is allowed. */
  expectCleanLog(...allowed: RegExp[]): void {
    expectNoTrouble('the server', [...this.log, ...this.#written()], allowed)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leaveHost()
    await this.#program?.stop('SIGKILL')
    if (this.#options.dataFolder === undefined && this.dataFolder !== '') {
      await rm(this.dataFolder, { recursive: true, force: true, maxRetries: 5 })
    }
  }

  #written(): string[] {
    return this.#program?.stderr ?? this.#options.host?.log ?? []
  }

  #keepLog(): void {
    this.log.push(...this.#written())
    this.#options.host?.log.splice(0)
    this.#program = undefined
  }
}
