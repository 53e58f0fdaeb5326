import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { AgentManifest } from '@muster/contract/agent/updates'
import { onTestFinished } from 'vitest'
import { readCurrent } from '../update/program-folder.ts'
import { AGENT_VERSION } from '../version.ts'
import { givenFolder, givenServer } from './given.ts'
import { GOOD_TOKEN, type TestServer } from './test-server.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const DIST = join(ROOT, 'apps/agent/dist')
export const NEXT_VERSION = '99.0.0'
const PATH = `/agent/versions/${NEXT_VERSION}/agent.mjs`

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
    path: PATH,
    node: 24,
    trial_seconds: 60,
    rollback: false,
    ...more,
  }
}

/** Serves this program like the server does. */
export function serveProgram(server: TestServer, program: string | Buffer): void {
  const packed = gzipSync(program)
  server.onRequest = (request, response) => {
    if (request.url !== PATH) return void response.writeHead(404).end()
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

/** A module for NODE_OPTIONS that kills its process before a certain change of the program folder, once. */
export function killBefore(root: string): string {
  const file = join(root, 'kill-before.mjs')
  writeFileSync(file, KILLER)
  return file
}

const KILLER = `
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const { KILL_COUNTER: counter, KILL_AT: at } = process.env
const { readFileSync, appendFileSync } = fs
const appendTo = appendFileSync
const fds = new Set()
let writes = 0
const isOurs = (path) => typeof path === 'string' && path.includes('/program/')
function step(name, path) {
  let done = ''
  try { done = readFileSync(counter, 'utf8') } catch {}
  const count = done.split('\\n').length
  if (done.includes('KILLED')) return
  const isIt = count === Number(at)
  append(counter, (isIt ? 'KILLED ' : '') + name + ' ' + String(path).split('/program/')[1] + '\\n')
  if (isIt) process.kill(process.pid, 'SIGKILL')
}
let inside = false
function append(file, text) { inside = true; appendTo(file, text); inside = false }
for (const name of ['mkdirSync', 'rmSync', 'renameSync', 'openSync']) {
  const original = fs[name]
  fs[name] = function (path, ...rest) {
    if (inside || !isOurs(path) || (name === 'openSync' && !/[wa+]/.test(String(rest[0])))) return original(path, ...rest)
    step(name, path)
    const result = original(path, ...rest)
    if (name === 'openSync') fds.add(result)
    return result
  }
}
for (const name of ['writeSync', 'fsyncSync', 'closeSync']) {
  const original = fs[name]
  fs[name] = function (fd, ...rest) {
    if (inside || !fds.has(fd)) return original(fd, ...rest)
    // A download is written in some fifty parts.
    if (name === 'writeSync' && writes++ % 20 !== 0) return original(fd, ...rest)
    step(name, '/program/' + fd)
    if (name === 'closeSync') fds.delete(fd)
    return original(fd, ...rest)
  }
}
syncBuiltinESMExports()
`
