import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { withStartUmask } from '../../platform/files/private-files.ts'
import { serverEnvironment } from '../scripts/run-on-server.ts'
import { createEnrolToken } from './enrol-machine.ts'
import { AGENT_SOURCE, findOwnAuthority } from './install-files.ts'

const SETTING = 'monitor_server'
const RESTART_MS = 5000
const STOP_MS = 5000
const TOKEN_TTL_MS = 10 * 60_000

/**
 * The agent on the server's own machine: a child process with its data in `agent/` of the data folder. It starts with
 * the server and restarts when it exits.
 */
export class ServerMachine implements AsyncDisposable {
  #ctx: Context
  #fastify: FastifyInstance
  #folder: string
  #child: ChildProcess | undefined
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(ctx: Context, fastify: FastifyInstance) {
    this.#ctx = ctx
    this.#fastify = fastify
    this.#folder = join(ctx.config.dataFolder, 'agent')
  }

  /** Enrols the machine at a site, and runs its agent from then on. */
  async monitor({ siteId, username }: { siteId: number; username: string }): Promise<void> {
    const { db, now } = this.#ctx
    const token = await createEnrolToken(db, {
      siteId,
      monitoringType: 'server',
      plat: null,
      uses: 1,
      expiresAt: new Date(now().getTime() + TOKEN_TTL_MS).toISOString(),
      createdBy: username,
      now: now(),
      forServerMachine: true,
    })
    await db
      .insertInto('settings')
      .values({ name: SETTING, value: JSON.stringify(true) })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: JSON.stringify(true) }))
      .execute()
    const { tls } = this.#ctx.config
    const ca = tls === undefined || findOwnAuthority(tls) === undefined ? [] : ['--ca', tls.certFile]
    this.#run(['enrol', '--run', '--server', this.#ownUrl(), ...ca], { MUSTER_ENROL_TOKEN: token })
  }

  /** Runs the agent if monitoring of the server machine is on. */
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

  /** The server's own address. With TLS the public URL, because the certificate is issued for that name. */
  #ownUrl(): string {
    const { publicUrl, tls, host } = this.#ctx.config
    if (tls !== undefined && publicUrl !== undefined) return publicUrl
    const address = this.#fastify.server.address()
    if (address === null || typeof address === 'string')
      throw new Error('the server does not listen on a port')
    const own = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
    return `${tls === undefined ? 'http' : 'https'}://${own.includes(':') ? `[${own}]` : own}:${address.port}`
  }

  #run(command: string[], secrets: { MUSTER_ENROL_TOKEN?: string } = {}): void {
    if (this.#stopped) return
    const child = withStartUmask(() =>
      spawn(process.execPath, [AGENT_SOURCE, ...command, '--data', this.#folder], {
        stdio: ['pipe', 'ignore', 'pipe'],
        // The agent exits with a killed server. Otherwise the next server would find its data folder in use.
        env: { ...serverEnvironment(), ...agentSettings(), ...secrets, MUSTER_WITH_PARENT: '1' },
      }),
    )
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

/**
 * Marks the machine whose agent has its data in this folder. Servers of earlier versions enrolled it without a mark, and
 * a restored database may lack it. Call it before requests are taken.
 */
export async function markServerMachine({ config, db }: Pick<Context, 'config' | 'db'>): Promise<void> {
  const text = await readFile(join(config.dataFolder, 'agent', 'agent.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return
  const identity = Identity.safeParse(readJson(text))
  if (!identity.success) return
  await db
    .updateTable('agents')
    .set({ server_machine: 1 })
    .where('agent_id', '=', identity.data.agent_id)
    .where('server_machine', '=', 0)
    .execute()
}

/** The part of the agent's file that names it. */
const Identity = z.object({ agent_id: z.string() })

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Settings that the agent reads, and that scripts on its machine may know. */
function agentSettings(): NodeJS.ProcessEnv {
  const { MUSTER_LOG_LEVEL, NODE_EXTRA_CA_CERTS } = process.env
  return { MUSTER_LOG_LEVEL, NODE_EXTRA_CA_CERTS }
}
