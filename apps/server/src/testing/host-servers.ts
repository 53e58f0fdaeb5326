/**
 * Servers for the stories, one after another in this process: it loads their modules once. Each has its own settings
 * and its own data folder, which begins as a copy of one that a first start has filled: migrated, with the built-in
 * scripts and the first user.
 */
import { cp, mkdtemp, readdir } from 'node:fs/promises'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFirstAdmin } from '../features/users/create-first-admin.ts'
import { readConfig } from '../platform/config/config.ts'
import { keepFilesPrivate } from '../platform/files/private-files.ts'
import { type RunningServer, startServer } from '../start-server.ts'

type HostRequest = { env: Record<string, string> } | { advanceMs: number } | { passMs: number } | 'stop'
/** `lastLine`: nothing of the stopped server follows it on standard error, which may arrive after this reply. */
type HostReply = { url: string } | { aheadMs: number } | { lastLine: string } | { error: string }

/** Less than what the alert sweep takes for a server that slept. */
const STEP_MS = 45_000
const LAST_LINE = JSON.stringify({ level: 'info', msg: 'stopped' })

let template: string | undefined
let running: RunningServer | undefined
/** How far the clock of the server is ahead. */
let aheadMs = 0

keepFilesPrivate()
process.on('message', (request: HostRequest) => {
  void reply(request)
    .catch((error: unknown) => ({ error: String(error) }))
    .then((message) => process.send?.(message))
})
process.on('disconnect', () => {
  if (template !== undefined) rmSync(template, { recursive: true, force: true })
  process.exit(0)
})

async function reply(request: HostRequest): Promise<HostReply> {
  if (request === 'stop') return stop()
  if ('env' in request) return start(request.env)
  return 'passMs' in request ? pass(request.passMs) : advance(request.advanceMs)
}

/** Runs the jobs that are due before and after. */
async function advance(byMs: number): Promise<HostReply> {
  await running?.ctx.jobs.drain()
  aheadMs += byMs
  await running?.ctx.jobs.drain()
  return { aheadMs }
}

/** Moves the clock as if the server had run for that time: machines that are overdue by then open their alerts. */
async function pass(forMs: number): Promise<HostReply> {
  for (let leftMs = forMs; leftMs > 0; leftMs -= STEP_MS) {
    aheadMs += Math.min(STEP_MS, leftMs)
    await running?.app.sweep.sweep()
  }
  return { aheadMs }
}

async function start(env: Record<string, string>): Promise<HostReply> {
  const config = readConfig(env)
  if (config.databaseUrl === undefined && (await readdir(config.dataFolder)).length === 0) {
    template ??= await fillTemplate(env)
    await cp(template, config.dataFolder, { recursive: true })
  }
  aheadMs = 0
  running = await startServer(config, { now: () => new Date(Date.now() + aheadMs) })
  await createFirstAdmin(running.ctx)
  return { url: running.address }
}

async function fillTemplate(env: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-e2e-template-'))
  const server = await startServer(readConfig({ ...env, MUSTER_DATA: folder, MUSTER_PORT: '0' }))
  await createFirstAdmin(server.ctx)
  await server.stop()
  return folder
}

async function stop(): Promise<HostReply> {
  const server = running
  running = undefined
  await server?.stop()
  process.stderr.write(`${LAST_LINE}\n`)
  return { lastLine: LAST_LINE }
}
