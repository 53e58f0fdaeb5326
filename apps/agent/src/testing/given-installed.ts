import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { AgentManifest, UpdateReport } from '@muster/contract/agent/updates'
import { onTestFinished } from 'vitest'
import type { z } from 'zod'
import { readCurrent } from '../update/program-folder.ts'
import { AGENT_VERSION } from '../version.ts'
import { givenFolder, givenServer } from './given.ts'
import { GOOD_TOKEN, type TestServer } from './test-server.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const DIST = join(ROOT, 'apps/agent/dist')
export const NEXT_VERSION = '99.0.0'
const pathOf = (version: string) => `/agent/versions/${version}/agent.mjs`

/** Builds the agent and its launcher, if their sources have changed. */
export function buildAgent(): void {
  execFileSync(process.execPath, [join(ROOT, 'deploy/build.mjs'), 'agent'], { stdio: 'ignore' })
}

/** The built agent as another version. */
export function programOf(version: string): string {
  const text = readFileSync(join(DIST, 'agent.mjs'), 'utf8')
  const parts = text.split(`\`${AGENT_VERSION}\``)
  if (parts.length !== 2) throw new Error(`the version is ${parts.length - 1} times in the built agent`)
  return parts.join(`\`${version}\``)
}

export function manifestOf(program: string, more: Partial<AgentManifest> = {}): AgentManifest {
  return {
    version: NEXT_VERSION,
    sha256: createHash('sha256').update(program).digest('hex'),
    bytes: Buffer.byteLength(program),
    path: pathOf(more.version ?? NEXT_VERSION),
    node: 24,
    trial_seconds: 60,
    rollback: false,
    ...more,
  }
}

/** Serves this program like the server does. */
export function serveProgram(server: TestServer, program: string, version = NEXT_VERSION): void {
  const packed = gzipSync(program, { level: 1 })
  server.onRequest = (request, response) => {
    if (request.url !== pathOf(version)) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed)
  }
}

export interface InstalledAgent {
  server: TestServer
  /** The program folder. */
  folder: string
  data: string
  /** The output of all its processes. */
  log: () => string
  /** How often the service manager has started the agent. */
  starts: () => number
  /** The last process of the agent. */
  child: () => ChildProcess | undefined
  order: (manifest: AgentManifest) => void
  current: () => ReturnType<typeof readCurrent>
}

/**
 * An agent in a program folder, as an installer lays it out, run by a service manager that starts it again whenever it
 * ends, until the test is over.
 */
export async function givenInstalledAgent(env: Record<string, string> = {}): Promise<InstalledAgent> {
  const { server, url } = await givenServer()
  const root = givenFolder()
  const [folder, data, download] = ['program', 'data', 'download'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(download)
  for (const name of ['agent.mjs', 'muster-agent.mjs']) copyFileSync(join(DIST, name), join(download, name))
  const run = (file: string, ...args: string[]) =>
    new Promise<void>((resolve, reject) => {
      const child = spawn(process.execPath, [file, ...args], {
        env: { ...process.env, MUSTER_ENROL_TOKEN: GOOD_TOKEN },
        stdio: 'ignore',
      })
      child.on('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`${args[0]} exited with ${code}`)),
      )
    })
  await run(join(download, 'agent.mjs'), 'lay-out', '--program-folder', folder)
  const launcher = join(folder, 'muster-agent.mjs')
  await run(launcher, 'enrol', '--server', url, '--data', data)

  let log = ''
  let starts = 0
  let child: ChildProcess | undefined
  let isOver = false
  const ended = Promise.withResolvers<void>()
  const start = () => {
    if (isOver) return ended.resolve()
    starts += 1
    child = spawn(process.execPath, [launcher, 'run', '--data', data], {
      env: { ...process.env, MUSTER_LOG_LEVEL: 'debug', ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr?.on('data', (bytes: Buffer) => (log += bytes.toString()))
    child.on('close', () => setTimeout(start, 50))
  }
  onTestFinished(async () => {
    isOver = true
    child?.kill('SIGKILL')
    await ended.promise
  })
  const up = server.untilUp()
  start()
  await up
  return {
    server,
    folder,
    data,
    log: () => log,
    starts: () => starts,
    child: () => child,
    order: (manifest) => server.command(server.sign('update-agent', manifest)),
    current: () => readCurrent(folder),
  }
}

export type Update = z.infer<typeof UpdateReport>

/** The reports of the agent about its updates, in order. */
export const updatesOf = ({ server }: InstalledAgent): Update[] =>
  server.reports.filter((report): report is Update => report.kind === 'update')

/** The version with which the agent last connected. */
export const lastVersion = ({ server }: InstalledAgent): string | undefined =>
  server.answers.at(-1)?.agent_version

/** Kills an agent before a certain change of its program folder. */
export interface Killer {
  /** Environment of the agent. */
  env: Record<string, string>
  /** From now on, changes are counted from one, and the agent is killed once, before this one; never before the change 0. */
  arm: (at: number) => void
  /** The changes since then, in order. */
  changes: () => string[]
  /** The change before which the agent was killed. */
  killedBefore: () => string | undefined
}

export function givenKiller(): Killer {
  const folder = givenFolder()
  const [module, counter, target] = ['kill-before.mjs', 'changes', 'at'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  writeFileSync(module, KILLER)
  const arm = (at: number) => {
    writeFileSync(counter, '')
    writeFileSync(target, String(at))
  }
  const changes = () => readFileSync(counter, 'utf8').split('\n').slice(0, -1)
  arm(0)
  return {
    env: { NODE_OPTIONS: `--import=${module}`, KILL_COUNTER: counter, KILL_TARGET: target },
    arm,
    changes,
    killedBefore: () => /^KILLED (.*)/m.exec(changes().join('\n'))?.[1],
  }
}

const KILLER = `
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const { KILL_COUNTER: counter, KILL_TARGET: target } = process.env
const { readFileSync, appendFileSync: appendTo } = fs
// The names and the writes of open files.
const open = new Map()
let inside = false
const isOurs = (path) => typeof path === 'string' && path.includes('/program/')
function step(name, path) {
  inside = true
  const done = readFileSync(counter, 'utf8')
  const isIt = !done.includes('KILLED') && done.split('\\n').length === Number(readFileSync(target, 'utf8'))
  const change = name + ' ' + path.split('/program/')[1].replaceAll(/[0-9]+[.][0-9]+[.][0-9]+/g, 'VERSION')
  appendTo(counter, (isIt ? 'KILLED ' : '') + change + '\\n')
  inside = false
  if (isIt) process.kill(process.pid, 'SIGKILL')
}
for (const name of ['mkdirSync', 'rmSync', 'renameSync', 'openSync']) {
  const original = fs[name]
  fs[name] = function (path, ...rest) {
    if (inside || !isOurs(path) || (name === 'openSync' && !/[wa+]/.test(String(rest[0])))) return original(path, ...rest)
    step(name, path)
    const result = original(path, ...rest)
    if (name === 'openSync') open.set(result, { path, writes: 0 })
    return result
  }
}
for (const name of ['writeSync', 'fsyncSync', 'closeSync']) {
  const original = fs[name]
  fs[name] = function (fd, ...rest) {
    const file = inside ? undefined : open.get(fd)
    if (file === undefined) return original(fd, ...rest)
    // A download is written in some fifty parts.
    if (name === 'writeSync' && file.writes++ % 20 !== 0) return original(fd, ...rest)
    step(name, file.path)
    if (name === 'closeSync') open.delete(fd)
    return original(fd, ...rest)
  }
}
syncBuiltinESMExports()
`
