import type { Interpreter } from '@muster/contract/agent/shells'
import { SecretFilter } from '@muster/rules/text/safe-text'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withStartUmask } from '../../platform/files/private-files.ts'
import { serverEnvironment } from './server-environment.ts'

export interface ServerCall {
  interpreter: Interpreter
  body: string
  args: readonly string[]
  /** KEY=VALUE. */
  env_vars: readonly string[]
  /** Values that must not be in the output. */
  secrets: readonly string[]
  timeoutSeconds: number
  /** So many characters of what it writes are kept. */
  mostOutput: number
}

export interface ServerRun {
  /** Null when it did not end by itself. */
  retcode: number | null
  executionTime: number
  /** Why it did not end by itself; else empty. */
  reason: string
  /** What it wrote, in its order. */
  pieces: Piece[]
}

interface Piece {
  stream: 'stdout' | 'stderr'
  text: string
}

/** What it wrote, all of it or of one stream. */
export function writtenText({ pieces }: Pick<ServerRun, 'pieces'>, of?: Piece['stream']): string {
  return pieces.map(({ stream, text }) => (of === undefined || of === stream ? text : '')).join('')
}

const SECOND_MS = 1000

/**
 * Runs a script as a child of the server: arguments as they are and never through a shell, an environment without the
 * settings of the server, a folder of its own that is gone afterwards, and an end to time and output. What it has
 * started ends with it, and with the server, however that ends.
 */
export async function runOnServer(call: ServerCall, signal: AbortSignal): Promise<ServerRun> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-script-'))
  try {
    const [fileName, program, ...before] = programOf(call)
    const file = join(folder, fileName)
    await writeFile(file, call.body.replaceAll('\r\n', '\n'), { mode: 0o700 })
    const [run = file, ...args] = program === undefined ? [file] : [program, ...before, file]
    const child = withStartUmask(() =>
      spawn(run, [...args, ...call.args], {
        cwd: folder,
        env: environmentOf(call.env_vars),
        // A group of its own, to be ended as a whole.
        detached: process.platform !== 'win32',
        stdio: ['ignore', 'pipe', 'pipe'],
        windowsHide: true,
      }),
    )
    using _guard = guardScript(child, folder)
    return await watch(call, signal, child)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function programOf({ interpreter, body }: ServerCall): [fileName: string, ...program: string[]] {
  switch (interpreter) {
    case 'shell':
      // With a first line as `#!/bin/bash` the system finds its program itself.
      return body.startsWith('#!') ? ['script.sh'] : ['script.sh', '/bin/sh']
    case 'python':
      return ['script.py', 'python3']
    case 'node':
      return ['script.js', process.execPath]
    case 'powershell':
      return ['script.ps1', 'pwsh', '-NoProfile', '-NonInteractive', '-File']
    case 'deno':
      return ['script.ts', 'deno', 'run', '--allow-all']
    case 'nushell':
      return ['script.nu', 'nu']
    case 'cmd':
      return ['script.cmd', 'cmd.exe', '/d', '/q', '/c']
  }
}

function environmentOf(lines: readonly string[]): NodeJS.ProcessEnv {
  const given = lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])
  // Pairs of strings, as above.
  return { ...serverEnvironment(), ...(Object.fromEntries(given) as Record<string, string>) }
}

function watch(
  { secrets, timeoutSeconds, mostOutput }: ServerCall,
  signal: AbortSignal,
  child: ChildProcess,
): Promise<ServerRun> {
  const startedMs = performance.now()
  const { promise, resolve } = Promise.withResolvers<ServerRun>()
  const filters = { stdout: new SecretFilter(secrets), stderr: new SecretFilter(secrets) }
  const pieces: Piece[] = []
  let left = mostOutput
  let reason = ''
  const keep = (stream: Piece['stream'], shown: string) => {
    const text = shown.slice(0, left)
    left -= text.length
    if (text !== '') pieces.push({ stream, text })
  }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      if (left > 0) keep(stream, filters[stream].take(text))
    })
  }
  const end = (because: string) => {
    if (reason === '') reason = because
    killAll(child)
  }
  const timer = setTimeout(() => end(`It was ended after ${timeoutSeconds} s.`), timeoutSeconds * SECOND_MS)
  const onAbort = () => end('The server stopped while it ran.')
  signal.addEventListener('abort', onAbort, { once: true })
  // What it left running would keep its pipes open.
  child.once('exit', () => killAll(child))
  child.once('error', ({ message }) => (reason = `It could not be started: ${message}`))
  child.once('close', (code) => {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    for (const stream of ['stdout', 'stderr'] as const) keep(stream, filters[stream].end())
    resolve({
      retcode: reason === '' ? code : null,
      executionTime: (performance.now() - startedMs) / SECOND_MS,
      reason,
      pieces,
    })
  })
  if (signal.aborted) onAbort()
  return promise
}

function killAll(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    // None of them is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** It reads until the server closes the line, which it does by ending, whatever ended it. */
const GUARD = 'read -r _; kill -s KILL -- "-$1"; rm -rf -- "$2"'

/**
 * Until it is disposed of, a script that the server runs does not outlive it: if the server is killed, its whole group
 * is killed and its folder removed. Not on Windows, which has no such groups.
 */
function guardScript(child: ChildProcess, folder: string): Disposable {
  const { pid } = child
  // It could not be started.
  if (pid === undefined || process.platform === 'win32') return { [Symbol.dispose]() {} }
  const guard = spawn('/bin/sh', ['-c', GUARD, 'muster-guard', `${pid}`, folder], {
    // What is pressed in the terminal of the server is not meant for it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: process.env['PATH'] },
  })
  // None is run without its guard.
  guard.once('error', () => child.kill('SIGKILL'))
  return {
    [Symbol.dispose]() {
      guard.kill('SIGKILL')
    },
  }
}
