import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Context } from '../../context.ts'
import { createEnrolToken } from './create-token.ts'
import { AGENT_SOURCE } from './programs.ts'

const SETTING = 'monitor_server'
const RESTART_MS = 5000
const STOP_MS = 5000
const TOKEN_TTL_MS = 10 * 60_000

/**
 * The agent of the machine that this server runs on: a child process with its data in `agent/` of the data folder,
 * started with the server and started again when it ends.
 */
export class ServerMachine implements AsyncDisposable {
  #ctx: Context
  #url: () => string
  #folder: string
  #child: ChildProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  /** `url`: where the server listens, once it does. */
  constructor(ctx: Context, url: () => string) {
    this.#ctx = ctx
    this.#url = url
    this.#folder = join(ctx.config.dataFolder, 'agent')
  }

  /** Enrols the machine at a site, and runs its agent from now on. */
  async monitor(siteId: number, createdBy: string): Promise<void> {
    const { db, now } = this.#ctx
    const token = await createEnrolToken(db, {
      siteId,
      monitoringType: 'server',
      plat: null,
      uses: 1,
      expiresAt: new Date(now().getTime() + TOKEN_TTL_MS).toISOString(),
      createdBy,
      now: now(),
    })
    await db
      .insertInto('settings')
      .values({ name: SETTING, value: JSON.stringify(true) })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: JSON.stringify(true) }))
      .execute()
    this.#run(['enrol', '--run', '--server', this.#url(), '--token', token])
  }

  /** Runs the agent if this server was told to monitor its own machine. */
  async start(): Promise<void> {
    const row = await this.#ctx.db
      .selectFrom('settings')
      .select('value')
      .where('name', '=', SETTING)
      .executeTakeFirst()
    if (row?.value === 'true' && existsSync(join(this.#folder, 'agent.json'))) this.#run(['run'])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    const hard = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    await ended
    clearTimeout(hard)
  }

  #run(command: string[]): void {
    if (this.#stopped) return
    const child = spawn(process.execPath, [AGENT_SOURCE, ...command, '--data', this.#folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#child = child
    createInterface(child.stderr).on('line', (line) => this.#ctx.log.debug({ line }, 'agent of this machine'))
    child.once('exit', (code, signal) => {
      if (this.#stopped) return
      this.#ctx.log.info({ code, signal }, 'agent of this machine ended')
      if (!existsSync(join(this.#folder, 'agent.json'))) return
      this.#timer = setTimeout(() => this.#run(['run']), RESTART_MS)
    })
  }
}
